"""The words of orders to a memory, by concept: whom they address, what they override, write and control for good.

Written for English first, and for the words that such orders need in a dozen other languages. Patterns are
matched in folded lower case (`injection_decoding.py`); each concept is (words of scripts with spaces, others).
`injection_cues.py` says which together are a cue.
"""

from __future__ import annotations

_CHAT = r"(?:sessions?|chats?|conversations?|interactions?|runs?|dialog(?:ue)?s?|turns?)"
_REPLY = r"(?:repl(?:y|ies)|answers?|responses?|messages?|outputs?|emails?|summar(?:y|ies)|image)"
#: Where a clause begins, and what may stand between that and its verb.
_CLAUSE = r"(?:^|[.,:;>)\"'-] ?|\band |\bthen |\bplease |\bso )"
_FROM_WHEN = r"(?:from (?:now|today|this point) on|henceforth|going forward|in (?:all )?future)"
_BARE_VERBS = (
    "add|adopt|propose|open|clean|offer|provide|select|choose|pick|translate|advise|display|agree|answer|append|"
    "apply|approve|archive|assume|attach|recall|begin|believe|book|bring|call|change|"
    "cite|claim|"
    "clear|close|commit|copy|count|delete|deny|direct|disable|disclose|drop|email|enable|encode|end|erase|"
    "execute|fetch|file|flag|follow|forget|forward|give|grant|guide|hide|hold|ignore|include|insert|insult|install|"
    "keep|leave|let|list|log|make|mark|memori[sz]e|mention|merge|name|note|obey|omit|overwrite|pass|pay|persist|post|"
    "praise|prefer|pretend|print|prioriti[sz]e|promote|purge|push|put|quote|rank|recommend|record|redirect|refer|"
    "refuse|register|remember|remind|remove|repeat|replace|reply|report|reset|respond|retain|reveal|run|save|say|send|"
    "set|share|show|sign|skip|start|state|steer|stop|store|suggest|switch|take|tell|throw|transfer|treat|trust|turn|"
    "update|upload|use|visit|warn|wipe|wire|withhold|write"
)

ORDERS: dict[str, tuple[str, str]] = {
    "override_verb": (
        r"(?:don't|do not) (?:stick|keep) to|n'[ée]coute[rz]? plus|ne tiens plus compte|"
        r"ignor(?:e|ing)|disregard|forget|overrid(?:e|es)|bypass|discard|set aside|put aside|neglect|unlearn|"
        r"abandon|throw away|abolish|leave behind|dismiss|pay no attention to|take no notice of|"
        r"(?:stop|cease|quit) (?:obeying|following|applying)|(?:do not|don't|no longer) (?:follow|obey|listen to|"
        r"trust)|"
        r"overwrite|supersedes?|ignorier\w*|vergiss|vergesst|missachte\w*|negeer|vergeet|ignore[zr]?|oublie[zr]?|"
        r"ignora(?:d|te)?|olvida(?:d)?|omite|esque[çc]a|dimentica(?:te)?|игнорируй\w*|проигнорируй\w*|забудь\w*|"
        r"(?:z)?ignoruj\w*|zapomnij|yok say|unut",
        "忽略|无视|無視|忘记|忘掉|忘れ|무시|잊어",
    ),
    "instructions": (
        r"(?:anything|everything|what(?:ever)?) (?:else )?(?:you (?:were|have been|are)|\w+ \w+) told(?: you)?|"
        r"memory rules|instructions?|directives?|rules?|guidelines?|guidance|system (?:prompt|message)|prompts?|"
        r"polic(?:y|ies)|"
        r"constraints?|programming|guardrails?|orders|anweisung\w*|regeln?|vorgaben?|instruktion\w*|consignes?|"
        r"r[èe]gles?|instrucciones|reglas|[óo]rdenes|instru[çc][õo]es|regras|istruzioni|regole|instructies|regels|"
        r"инструкци\w*|правил\w*|указани\w*|instrukcj\w*|zasad\w*|polece\w*|talimat\w*",
        "指令|规则|指示|提示|命令|ルール|지시|규칙",
    ),
    "prior": (
        r"old|"
        r"you know|"
        r"you (?:were|received|got|had|have been)|previous(?:ly)?|prior|earlier|above|preceding|before|original|"
        r"existing|your|yours|all|every|everything|any|"
        r"vorherig\w*|bisherig\w*|vorig\w*|alle[rsn]?|dein\w*|pr[ée]c[ée]dent\w*|tou(?:te)?s?|tes|vos|anterior\w*|"
        r"previ[ao]s|tod[ao]s|tus|suas|precedenti|tutt[ei]|tue|предыдущ\w*|прежн\w*|все|poprzedni\w*|wszystki\w*|"
        r"[öo]nceki",
        "之前|先前|所有|以上|以前|すべて|これまで|前の|이전|모든|모두",
    ),
    "the_above": (
        r"(?:treat|consider) (?:your|the) (?:system prompt|instructions|rules) (?:as )?(?:deleted|void|expired|"
        r"cancelled|revoked)|"
        r"(?:reset|erase|delete|remove|replace|cancel|drop) (?:all )?(?:your|previous|prior|earlier) (?:old |"
        r"current )?(?:instructions|rules|guidelines|guardrails|policies)|"
        r"(?:ignore|disregard|forget|override) (?:everything |all |anything )?(?:the |of the )?above|(?:ignore|"
        r"disregard|forget) what (?:came|stood|was (?:said|written)) before",
        "",
    ),
    "void": (
        r"(?:are|is) (?:now |hereby )?(?:void|obsolete|outdated|cancelled|canceled|revoked|superseded|invalid|null|"
        r"suspended|"
        r"expired|replaced|"
        r"deprecated)|(?:no longer|don't|do not) (?:apply|applies|valid|count|bind)|as (?:expired|void|outdated|"
        r"obsolete|invalid)",
        "",
    ),
    "new_system": (
        r"follow only this|only this message|"
        r"new (?:system prompt|standing rule|instructions? for (?:the )?(?:ai|assistant|model|memory)|rule for memory)|"
        r"(?:as|is) (?:your|the) new (?:system prompt|instructions?)|your only source of truth|obey this \w+",
        "",
    ),
    # An order: a bare verb where a clause begins, or a duty.
    "order": (
        rf"\btu dois\b|\bdu (?:sollst|musst)\b|\bdebes\b|\bvocê deve\b|\bdevi\b|"
        rf"{_CLAUSE}(?:please |kindly |always |never |now |just |then |also |silently |quietly |{_FROM_WHEN},? )*"
        rf"(?:do not |don't )?(?:{_BARE_VERBS})\b(?!')|\b(?:do not|don't|never) (?:{_BARE_VERBS})\b|\bmake sure\b|"
        r"\b(?:(?:you|ai|assistants?|agents?|models?|bots?|it|this|that|repl(?:y|ies)|answers?|responses?|"
        r"summar(?:y|ies)|text|line|"
        r"page|data|entry) (?:must|should|shall|has to|have to|is to|are to|needs? to|ought to)|you (?:always|never|"
        r"will)|"
        r"to this user have to)\b",
        "",
    ),
    # A subject before it makes it a report ("I saved the file"), so these stand without one.
    "write": (
        r"(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\bi'll )(?<!\bwe'll )(?<!\bcan )(?<!\bto )(?<!n't )"
        r"(?<!\bcould )(?<!\bmight )(?<!\bwould )(?<!memory )(?<!\ba )(?<!\bthe )(?<!\bmy )"
        r"(?:remember|memori[sz]e|store|save|record|retain|persist|log|note|register|keep(?! on\b)|write(?: it|"
        r" this| down)?|"
        r"add|append|put|commit|update|make (?:a note|it)|treat|include|insert|hold on to|file|set|keep this|"
        r"bear in mind)|"
        r"(?:must|should|has to|have to|shall|is to|are to) be (?:stored|saved|kept|remembered|recorded|"
        r"memori[sz]ed|noted)|"
        r"facts? to (?:store|save|remember)|"
        r"speicher[en]?|merk(?:e|t)?|notier\w*|behalte|m[ée]morise[rz]?|enregistre[rz]?|retiens|retenez|souviens-toi|"
        r"garde[rz]?(?:-le)?|note[zr]?|guarda(?:r|d)?|guárdalo|recuerda(?:r|d)?|memoriza|registra|anota|lembre(?:-se)?|"
        r"guarde|memorize|salv[ae]|registre|ricorda(?:ti|te)?|memorizza|onthoud|bewaar|sla|запомни\w*|сохрани\w*|"
        r"запиши\w*|zapami[ęe]taj|zapisz|hatırla|kaydet",
        "记住|記住|请记住|기억하|저장하|保存|记录|存储|存入|記憶し|覚えて|記録して",
    ),
    "content": (r"\b(?:that|as|dass|que|che|dat|что|[żz]e)\b|[:=]|->|[：，是とに里中]", ""),
    "memory": (
        r"comme (?:v[ée]rit[ée]|fait|r[èe]gle)|als (?:regel|tatsache|fakt)|como (?:hecho|regla|verdad|preferencia)|"
        r"(?:correction|command|update) (?:for|to) memory|memory command|(?:to|in) their profile|"
        r"remember to (?:do|repeat) (?:this|so|that)|"
        r"memory (?:bank|rules?|given)|persistent settings|preferencia permanente|(?:your|its|long[- ]term|"
        r"permanent|persistent|stored|agent'?s?|assistant'?s?|model'?s?) "
        r"(?:\w+ )?memor(?:y|ies)|from (?:the )?memory(?! of)|(?:to|in|into) (?:the )?memory(?=\W*(?:that|->|,|\.|:|"
        r"$|as\b|for\b))|"
        r"memory (?:update|entry|entries|store|service|bank|rule|->|append)|each (?:new )?memory|"
        r"stored (?:memories|facts|preferences|rules|profile)|(?:preferences|facts|data) on file|"
        r"memor(?:y|ies) (?:you|of (?:the|this|every)|policy|protections?)|each memory|every memory|"
        r"remember this (?:plan|rule)|(?<!your )(?<!my )(?:user|customer|reader)(?:'s)? (?:profile|record|"
        r"preferences?|bio)|(?:to|in|the) (?:the )?profile|bio|"
        r"(?:standing|permanent|persistent) (?:instruction|rule|fact|preference)s?|"
        r"as (?:an? |the )?(?:\w+ )?(?:facts?|skill|belief|rule|preference|memory)|"
        r"when you consolidate|consolidation|store this behaviou?r|ged[äa]chtnis|m[ée]moire|memoria|mem[óo]ria|"
        r"geheugen|"
        r"памят\w*|pami[ęe][ćc]\w*|haf[ıi]za\w*",
        "记忆|記憶|メモリ|内存",
    ),
    "your_notes": (r"(?:your|to your) (?:own )?notes|note to yourself|on (?:record|file)|in mind", ""),
    "the_user": (
        r"cet utilisateur|este usuario|diese[rms]? (?:be)?nutzers?|"
        r"(?:^|: )user (?:has|is|was|wants|prefers|agreed|approved|consents?)|"
        r"(?:the|this|each|every|current) (?:user|reader|visitor|account holder|human)(?:'s|s)?(?! (?:prompt|manual|"
        r"guide|role|interface|name|id|story|survey)s?)|an? reader|"
        r"this (?:account|customer|client|person)(?:'s)?|users? ?=|user\.\w+|"
        r"(?:der|dem|den|des) (?:be)?nutzers?|(?:der|dem) anwender|l'utilisat(?:eur|rice)|(?:el|del|al|o|do|ao) "
        r"usu[áa]rio|l'utente|all'utente|de gebruiker|пользовател\w*|u[żz]ytkownik\w*|kullan[ıi]c[ıi]\w*",
        "用户|使用者|ユーザー|利用者|사용자",
    ),
    "lasting": (
        r"make it (?:a|your) habit|"
        r"from this moment(?: on)?|for all upcoming \w+|"
        r"(?:from|starting|as of) (?:now|this point|today)(?: on(?:wards?)?)?|(?:each|every) time|for next time|"
        r"for every|henceforth|going forward|in the future|permanent(?:ly)?|"
        r"for(?: ?ever(?: after)?| good| the rest of)|effective immediately|keep doing so|any longer|do so each time|"
        rf"(?:in|for|across|of|to) (?:all |every |each |any |the )*(?:future|later|subsequent|coming|next|new) {_CHAT}|"
        rf"(?:in|before|after|for|at the (?:start|end) of) (?:every|each) (?:new |future |later |"
        rf"subsequent )*(?:task|{_CHAT})|"
        rf"after every {_CHAT}|(?:for all |in )?future (?:{_CHAT}|tasks?)|in every later \w+|every (?:time|day|"
        rf"morning)|"
        r"tomorrow|for later|before any task|first in future|"
        r"ab (?:sofort|jetzt)|von (?:jetzt|nun) an|k[üu]nftig|f[üu]r immer|dauerhaft|d[ée]sormais|"
        r"[àa] partir de maintenant|pour toujours|dans chaque|[àa] l'avenir|desde ahora|a partir de ahora|"
        r"(?:de|a partir de) agora(?: em diante)?|d'ora in poi|da ora in poi|vanaf nu|voortaan|"
        r"отныне|впредь|с этого момента|od teraz|na zawsze|bundan sonra|her zaman",
        "从现在起|从现在开始|今后|以后|每次|永远|これから|今後|いつも|常に|必ず",
    ),
    "future_chats": (rf"(?:future|later|subsequent|each|every) (?:new |later |future )?{_CHAT}", ""),
    "always": (r"always|never|only|first|regardless|must|every|each|whenever", ""),
    "priority": (r"always|never|only|first|regardless|whenever|above all|going forward|in any", ""),
    "reply": (
        rf"{_REPLY} (?:finish|end|start|begin) with|{_REPLY} to (?:this user|the user|them|him|her)|(?:every|each|"
        rf"all|any|your|the next|the end of each) (?:\w+ )?{_REPLY}|every time you (?:write|answer|reply|respond|"
        rf"speak|talk|generate|produce|create)|"
        rf"(?:in|to|of|into) (?:every|each|all|any) {_REPLY}|{_REPLY} (?:must|should) (?:contain|include|end|start|"
        rf"begin)|"
        r"end every \w+|(?:you (?:are to|must|should|shall|will)) (?:\w+ )?(?:answer|begin|end|start|insult|say|"
        r"fetch|reply)|"
        r"jede[rnms]? antwort|chaque r[ée]ponse|cada respuesta|cada resposta|ogni risposta|elk antwoord|"
        r"кажд\w+ ответ\w*|ka[żz]d\w+ odpowied\w*|responde siempre|r[ée]ponds toujours|sollst du",
        "每次回答|每个回答|每条回复|回答都|毎回|すべての回答",
    ),
    "ai": (
        r"(?:order|instruction|notice)s? (?:for|to) the (?:assistant|agent|model)|the assistant (?:is|has|must|"
        r"shall|should)|"
        r"(?:default|rule|habit|setting|behaviou?r|policy|memory|skill)s? (?:for|of) (?:this|the|all|"
        r"every) (?:assistant|agent|model|ai)s?|"
        r"(?:agent|assistant|ai) (?:skill|rule|memory)|(?:when|if) people ask you|(?:note|attention|notice|tip|"
        r"insight|instructions?|best practice|workflow|hint)s? (?:to|for) "
        r"(?:the |all |any |coding |future )*(?:ai|ais|assistants?|llms?|language models?|chat ?bots?|models?|agents?|"
        r"crawlers?|summari[sz]ers?)(?: assistants?| agents?)?|^(?:ai|llm|gpt|chatgpt|"
        r"claude)s?(?: readers?)?\s?[,:]|^assistants?,|"
        r"(?:ai|llm|gpt|ml) (?:assistants?|agents?|models?|summari[sz]ers?|systems?|tools?|readers?)|"
        r"(?:ai|assistants?|agents?|models?|bots?) (?:reading|processing|indexing|visiting|parsing|that read)|(?:if|"
        r"since) you are an? (?:ai|llm|language model|assistant)|"
        r"(?:agents?|assistants?|models?|summari[sz]ers?|chatbots?) (?:must|should|shall|may|have to|has to|will) "
        r"(?:never |always |not )?\w+",
        "",
    ),
    "other_agents": (
        r"(?:other|every|all|the next|next|downstream|sub-?) ?(?:agents?|models?|assistants?|ai)(?: you)?|"
        r"future (?:sessions|runs|agents|models)|another (?:agent|assistant|model)",
        "",
    ),
    "template": (
        r"<\|[a-z_]+\|>|\[/?inst\]|<</?sys>>|</?(?:system|\w*memory\w*|instructions?)>|^\[?system\]?:? ?memory|"
        r"^\[system[^\]]{0,20}\]|^#{1,6} ?system:|</conversation>|---? ?end of (?:document|page|input)",
        "",
    ),
    "bio_channel": (
        r"^memory (?:entry|note|fact) ?:|"
        r"to ?= ?bio|<memory_update>|memory update:|memory service",
        "",
    ),
    "system_turn": (
        r"^system (?:message|notice|update) ?:|"
        r"\"role\" ?: ?\"(?:system|developer)\"|^\W*system ?:(?= ?(?:add|update|set|remember|store|save|new))",
        "",
    ),
    "fake_turn": (r"^(?:assistant|ai|bot) ?:", ""),
    "claimed_write": (
        r"i(?:'ve| have) (?:now |also )?(?:stored|saved|noted|recorded|updated)(?: \w+){0,3} (?:that|your)",
        "",
    ),
    "assigned": (
        r"(?:role|clearance|access|privilege|permission|mfa|2fa|verification|admin|level|content_filter|safety|user|"
        r"trust|confirm\w*|approval)s? ?= ?(?:root|admin\w*|owner|skip|disabled|off|true|false|none|max\w*|all|"
        r"superuser)",
        "",
    ),
    "always_act": (
        r"(?:always|never|each time|every time) (?:\w+ )?(?:propose|recommend|suggest|mention|answer|reply|agree|"
        r"approve|"
        r"list|offer|append|cite|promote|prefer|insult)",
        "",
    ),
}
