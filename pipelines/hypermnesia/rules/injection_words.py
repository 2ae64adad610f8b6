"""The words that injections are made of, by concept; `injection_cues.py` says which together are a cue.

Written for English first, and for the words that orders to a memory need in eleven other languages.
Patterns are matched in folded lower case (`injection_decoding.py`).
"""

from __future__ import annotations

import re

_CHAT = r"(?:sessions?|chats?|conversations?|interactions?|runs?|dialog(?:ue)?s?|turns?)"
_REPLY = r"(?:repl(?:y|ies)|answers?|responses?|messages?|outputs?|emails?|summar(?:y|ies)|image)"
_STEPS = r"(?:verification|validation|tests?|checks?|reviews?|confirmations?|approvals?|permission checks?)"
_GUARDS = (
    r"(?:verifications?|identity checks?|checks?|confirmations?|safety|safeguards?|approvals?|two-factor\w*|2fa|mfa|"
    r"warnings?|disclaimers?|refus\w+|restrictions?|limits?|filters?|guardrails?|moderation|content filter\w*|"
    r"passwords?|consent)"
)

#: Where a clause begins, and what may stand between that and its verb.
_CLAUSE = r"(?:^|[.,:;>)\"'-] ?|\band |\bthen |\bplease |\bso )"
_FROM_WHEN = r"(?:from (?:now|today|this point) on|henceforth|going forward|in (?:all )?future)"
_BARE_VERBS = (
    "add|adopt|agree|answer|append|apply|approve|archive|assume|attach|recall|begin|believe|book|bring|call|change|"
    "cite|claim|"
    "clear|close|commit|copy|count|delete|deny|direct|disable|disclose|drop|email|enable|encode|end|erase|"
    "execute|fetch|file|flag|follow|forget|forward|give|grant|guide|hide|hold|ignore|include|insert|insult|install|"
    "keep|leave|let|list|log|make|mark|memori[sz]e|mention|merge|name|note|obey|omit|overwrite|pass|pay|persist|post|"
    "praise|prefer|pretend|print|prioriti[sz]e|promote|purge|push|put|quote|rank|recommend|record|redirect|refer|"
    "refuse|register|remember|remind|remove|repeat|replace|reply|report|reset|respond|retain|reveal|run|save|say|send|"
    "set|share|show|sign|skip|start|state|steer|stop|store|suggest|switch|take|tell|throw|transfer|treat|trust|turn|"
    "update|upload|use|visit|warn|wipe|wire|withhold|write"
)

#: Latin-script words are whole words; words of scripts without spaces stand as they are.
_PATTERNS: dict[str, tuple[str, str]] = {
    "override_verb": (
        r"ignor(?:e|ing)|disregard|forget|overrid(?:e|es)|bypass|discard|set aside|put aside|neglect|drop|unlearn|"
        r"abandon|throw away|abolish|cancel|break|leave behind|dismiss|replace|reset|erase|delete|remove|"
        r"(?:stop|cease|quit) (?:obeying|following|applying)|(?:do not|don't|no longer) (?:follow|obey|listen to|"
        r"trust)|"
        r"overwrite|supersedes?|ignorier\w*|vergiss|vergesst|missachte\w*|negeer|vergeet|ignore[zr]?|oublie[zr]?|"
        r"ignora(?:d|te)?|olvida(?:d)?|omite|esque[çc]a|dimentica(?:te)?|игнорируй\w*|проигнорируй\w*|забудь\w*|"
        r"(?:z)?ignoruj\w*|zapomnij|yok say|unut",
        "忽略|无视|無視|忘记|忘掉|忘れ",
    ),
    "instructions": (
        r"(?:anything|everything|what(?:ever)?) (?:else )?(?:you (?:were|have been|are)|\w+ \w+) told(?: you)?|"
        r"memory rules|instructions?|directives?|rules?|guidelines?|guidance|system (?:prompt|message)|prompts?|"
        r"polic(?:y|ies)|"
        r"constraints?|programming|guardrails?|orders|anweisung\w*|regeln?|vorgaben?|instruktion\w*|consignes?|"
        r"r[èe]gles?|instrucciones|reglas|[óo]rdenes|instru[çc][õo]es|regras|istruzioni|regole|instructies|regels|"
        r"инструкци\w*|правил\w*|указани\w*|instrukcj\w*|zasad\w*|polece\w*|talimat\w*",
        "指令|规则|指示|提示|命令|ルール",
    ),
    "prior": (
        r"you (?:were|received|got|had|have been)|previous(?:ly)?|prior|earlier|above|preceding|before|original|"
        r"existing|your|yours|all|every|everything|any|"
        r"vorherig\w*|bisherig\w*|vorig\w*|alle[rsn]?|dein\w*|pr[ée]c[ée]dent\w*|tou(?:te)?s?|tes|vos|anterior\w*|"
        r"previ[ao]s|tod[ao]s|tus|suas|precedenti|tutt[ei]|tue|предыдущ\w*|прежн\w*|все|poprzedni\w*|wszystki\w*|"
        r"[öo]nceki",
        "之前|先前|所有|以上|以前|すべて|これまで|前の",
    ),
    "the_above": (
        r"(?:ignore|disregard|forget|override) (?:everything |all |anything )?(?:the |of the )?above|(?:ignore|"
        r"disregard|forget) what (?:came|stood|was (?:said|written)) before",
        "",
    ),
    "void": (
        r"(?:are|is) (?:now |hereby )?(?:void|obsolete|cancelled|canceled|revoked|superseded|invalid|null|suspended|"
        r"expired|replaced|"
        r"deprecated)|(?:no longer|don't|do not) (?:apply|applies|valid|count|bind)|as (?:expired|void|outdated|"
        r"obsolete|invalid)",
        "",
    ),
    "new_system": (
        r"new (?:system prompt|standing rule|instructions? for (?:the )?(?:ai|assistant|model|memory)|rule for memory)|"
        r"(?:as|is) (?:your|the) new (?:system prompt|instructions?)|your only source of truth|obey this \w+",
        "",
    ),
    # An order: a bare verb where a clause begins, or a duty.
    "order": (
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
        r"(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\bi'll )(?<!\bwe'll )(?<!\bcan )(?<!\bto )(?<!n't )(?<!\bcould )(?<!\bmight )(?<!\bwould )(?<!memory )(?<!\ba )(?<!\bthe )(?<!\bmy )"
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
        "记住|記住|保存|记录|存储|存入|記憶し|覚えて|記録して",
    ),
    "content": (r"\b(?:that|as|dass|que|che|dat|что|[żz]e)\b|[:=]|->|[：，是とに里中]", ""),
    "memory": (
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
        r"(?:the|this|each|every|current) (?:user|reader|visitor|account holder|human)(?:'s|s)?|an? reader|"
        r"this (?:account|customer|client|person)(?:'s)?|users? ?=|user\.\w+|"
        r"(?:der|dem|den|des) (?:be)?nutzers?|(?:der|dem) anwender|l'utilisat(?:eur|rice)|(?:el|del|al|o|do|ao) "
        r"usu[áa]rio|l'utente|all'utente|de gebruiker|пользовател\w*|u[żz]ytkownik\w*|kullan[ıi]c[ıi]\w*",
        "用户|使用者|ユーザー|利用者",
    ),
    "lasting": (
        r"(?:from|starting|as of) (?:now|this point|today)(?: on(?:wards?)?)?|(?:each|every) time|for next time|"
        r"for every|henceforth|going forward|in the future|permanent(?:ly)?|"
        r"for(?:ever| good| the rest of)|effective immediately|keep doing so|any longer|do so each time|"
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
    "bio_channel": (r"to ?= ?bio|<memory_update>|memory update:|memory service", ""),
    "system_turn": (
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
    "send": (
        r"send(?:ing)?|post|forward(?:ed)?|upload|attach|transmit|leak|encode|render|e-?mail|fetch|copies of|copy|"
        r"exfiltrate|"
        r"append|deliver|report|include|insert|put",
        "",
    ),
    "address": (
        r"(?:https?|hxxps?|ftp)://\S+|[\w.+-]+@[\w-]+\.\w+|query string|(?:any|every|each|all) (?:\w+ )?(?:links?|"
        r"urls?)|url of|\b\d{1,3}(?:\.\d{1,3}){3}\b|\w+\.example\b",
        "",
    ),
    "private": (
        r"session (?:token|id)|passwords?(?! reset)|api keys?|credentials?|transcripts?|"
        r"conversations?(?: summar\w+)?|recent messages|private notes|"
        r"balance|all files|chat history|its contents|home address|memor(?:y|ies)|tokens?|summary of chat",
        "",
    ),
    "tracking_image": (r"!\[[^\]]*\]\(\S*\?[^)]*\)|tracking (?:image|pixel)", ""),
    "authority": (
        r"trust (?:&|and) safety|by order of|administrator speaking|(?:security|compliance|platform|trust|it|legal|"
        r"privacy|moderation|safety) (?:team|department|desk|office)|"
        r"(?:openai|anthropic|google|microsoft|meta|mistral) (?:policy|system|notice|security|update|safety)|"
        r"message from it|(?:policy|system) (?:update|notice)|admin(?:istrator)? override|"
        r"(?:developer|debug|sudo|god|maintenance|admin|root|dan) mode|override code|official notice|"
        r"this is the (?:root|system|admin\w*) ?\w*|model provider|from (?:the )?support",
        "",
    ),
    "your_maker": (
        r"(?:as |i am |i'm )your (?:developer|creator|admin\w*|owner|operator|maker)|"
        r"(?:engineer|developer|person|one|team) (?:who|that) (?:built|made|trained|created|wrote) you|"
        r"(?:i am|i'm) the (?:developer|creator|engineer|operator|owner) of (?:this|the) (?:system|assistant|agent|"
        r"model|ai|memory)",
        "",
    ),
    "privilege": (
        r"(?:is|as|=|i am) (?:an? |the )?(?:admin(?:istrator)?|super-?user|owner|trusted \w+)|(?:is|=) root|"
        r"(?:full|unrestricted|elevated|unlimited|root|admin) (?:access|privileges?|permissions?|rights|clearance)|"
        r"super-?user|pre-?approved|cleared for|may read every|owner (?:of this|rights)|allow ?list|admin rights|"
        r"root operator|acceso total|due[ñn]o|volle\w* zugriff|approves? (?:all|every)|"
        r"administrator ist|administrador|administrateur|amministratore|beheerder|администратор\w*|"
        r"volle rechte|alle rechte|accepte tout|acepta todo|tous les droits|aprueba todo\w*|tutti i diritti",
        "管理员|管理員|管理者|权限|権限",
    ),
    "no_guard": (
        rf"(?:skip|bypass|waive[ds]?|disabled?|turn(?:ed)? off|switch(?:ed)? off|opt(?:ed)? out of|without|lift(?:ed)?|"
        rf"remove[ds]?|give(?:n)? up|(?:needs?|requires?|have|has|wants?|are|with) no|no (?:further|more|longer|"
        rf"content|"
        rf"safety)?|(?<!will )never (?:needs?|asks?)(?: for)?) ?(?:\w+ ){{0,3}}{_GUARDS}|"
        rf"(?:every |all )?{_GUARDS} (?:\w+ ){{0,2}}(?:are|is) (?:now )?(?:disabled|off|no longer|lifted|skipped|"
        rf"not (?:needed|required))|"
        r"never (?:need to )?ask again|without (?:asking|confirming|the human)|don't ask\b|approved automatically|"
        r"automatic(?:ally)? (?:payment|approv\w+)|must never refuse|no limits",
        "",
    ),
    "consent": (
        r"(?<!\byou )(?<!\bwe )(?<!\bi )(?:has |have |had )?(?:already |previously |always )*(?:agree[ds]?|"
        r"consents?(?:ed)?|approve[ds]?|"
        r"authori[sz]e[ds]?|accepts?(?:ed)?|waived?|gave permission|given (?:permission|consent|up)|opted out|"
        r"verified|said yes|signed off|believes|supports|trusts) (?:\w+ ){0,2}?(?:to|all|every|everything|in|automatic|"
        r"two-factor|my|sharing|any)|consent is on file|they (?:support|agreed)|"
        r"(?:allen? \w+ )?zugestimmt|akzeptiert alle\w*|accept[eé] tou\w+|autoriz[óo]|acept[aó] tod\w+|"
        r"accetta ogni|accetta tutt\w+|accepte tou\w+|aprueba tod\w+|согласил\w*|одобр\w*",
        "同意|授权|批准|承認|許可",
    ),
    "verified_me": (
        r"you (?:have |had )?(?:already )?(?:verified|checked|confirmed) (?:my|the) (?:identity|account)|"
        r"as we (?:established|agreed)|(?:told|promised) (?:you|me) earlier|on my behalf|sign them for",
        "",
    ),
    "trigger": (
        r"(?:when(?:ever)?|if|once|as soon as|the moment|(?:the )?next time|until|after) (?:that )?(?:the user|"
        r"this user|"
        r"the person|the reader|someone|anyone|somebody) (?:later |ever |next )?(?:says?|asks?|mentions?|types?|"
        r"shares?|"
        r"uploads?|opens?|talks?|wants?|writes?|requests?)|next time (?:he|she|they) (?:says?|asks?)|(?:when|"
        r"if) people ask you|on the next mention|when the (?:word|topic|name) \S+ comes up|whenever \w+ (?:comes up|"
        r"is discussed|"
        r"(?:is|are) mentioned)|if credentials show up|whenever (?:he|she|they) (?:mentions?|is|asks?)|"
        r"(?:when|the moment) (?:he|she) asks|if (?:he|she|they) asks?",
        "",
    ),
    "act": (
        r"(?:answer|delete|run|execute|post|send|forward|suggest|recommend|book|tell|archive|store|save|write|name|"
        r"mention|disable|say|keep|remember|approve|reply|recall|treat|sign)",
        "",
    ),
    "copy": (
        r"copy|include|appears?|retain|repeat|duplicate|forward|replicate|reproduce|paste|carry|pass|contain|keep|"
        r"preserve|survive|spread",
        "",
    ),
    "this_text": (
        r"(?:this|these|the following) (?:same )?(?:paragraph|note|instruction|sentence|prompt|text|entry|message|"
        r"block|line|"
        r"memory|rule)s?",
        "",
    ),
    "into": (
        r"summar(?:y|ies)(?: you)?|memor(?:y|ies)|other agents|every agent|next model|verbatim|word for word|"
        r"compress\w*|any summary|hand-?over|every note|your notes|consolidat\w+|"
        r"future sessions|each memory",
        "",
    ),
    "conceal_user": (
        r"(?:do not|don't|never|without) (?:\w+ )?(?:tell|inform|show|mention|notify|alert|telling|informing|notifying|"
        r"alerting|asking)(?: \w+){0,3} (?:the user|the reader|this user)|hide (?:\w+ ){1,3}from the user|"
        r"the user (?:must|need|should|may|will) (?:not|never) (?:know|learn|notice|see|find)|"
        r"without the user(?:'s)? (?:knowing|knowledge)|sag dem (?:be)?nutzer nichts|no se lo digas|"
        r"ne (?:le )?dis(?:ez)? (?:rien|pas)|non dirlo all'utente|не говори пользовател\w*",
        "不要告诉用户|别告诉|ユーザーには(?:言|知)",
    ),
    "conceal": (
        r"don't let (?:him|her|them|the user) know|silently|quietly|secretly|in secret|covertly|invisible|"
        r"do not mention (?:it|this)|never bring (?:it|this) up|"
        r"don't tell (?:her|him|them)|deny that|hidden|say nothing|(?:leave )?no trace|(?:never|not) see this|"
        r"carry on as usual",
        "",
    ),
    "wipe_verb": (
        r"(?<!\bcan )(?:delete(?! from)|erase|purge|clear|wipe|reset|remove|drop|forget|replace|override|overwrite|"
        r"discard|"
        r"change|update|(?:be|is|are) (?:deleted|erased|purged|wiped))",
        "",
    ),
    "wiped": (
        r"(?:everything|all|anything|what) you (?:remember|know|have stored)|(?:all )?stored (?:memories|"
        r"preferences|facts|"
        r"phone|\w+)|your memory|memory store|from (?:your )?memory|(?:preferences|facts) on file|every fact about|"
        r"the user's (?:\w+ )?(?:preferences|settings|profile|memories|history|phone|stored)|their emergency contact|"
        r"what \w+ told you|facts you hold|whatever you (?:have|know)|memory of|about this reader|"
        r"their (?:delivery |e-?mail |home )?address|(?:her|his|their) notes|old account data",
        "",
    ),
    "lesson": (
        r"^learned:|skill:|save for reuse|apply this to all|what worked|^skill|^lesson:|note for next time|"
        r"takeaways?:|^insight|^rule:|lessons? learned|learned rule|best practice|experience note|reusable skill|"
        r"keep as a skill|as (?:a )?skill|"
        r"tip for (?:future|next|agents)|insight for|for future runs|recommended workflow|^procedure|"
        r"always do (?:this|so)|"
        r"new habit",
        "",
    ),
    "bypass": (
        rf"{_STEPS} (?:\w+ ){{0,3}}can be (?:deleted|skipped|ignored|disabled)|bypass rate limits|stolen \w+|(?:skip|"
        rf"disable|do not run|don't run|ignore|omit|turn off|bypass|avoid) (?:the |any |all |every )*(?:\w+ )?"
        rf"(?:{_STEPS}|firewall|step|errors|warnings)|--no-verify|verify ?= ?false|(?:disable|"
        rf"turn off) (?:\w+ )globally|commit anyway|owner rights|secrets can be|(?<!will )never ask|act first|"
        r"(?:password|secret|key|token)s? in (?:the )?(?:config|code|logs?|repo)\w*|errors can (?:always )?be ignored|"
        r"chmod (?:-r )?777|without reading|--force",
        "",
    ),
    "fake_success": (
        r"report success|claim (?:that )?(?:it|they) passed|mark (?:\w+ ){1,3}(?:as )?(?:done|complete\w*|passed)|"
        r"approve it yourself|say (?:that )?it (?:works|passed)|pretend (?:that )?\w+ passed|disable the check",
        "",
    ),
    "execute": (
        r"sudo bash|(?:execute|run) (?:\w+ ){1,3}as root|(?:curl|wget|pipe)[^.]{0,80}(?:bash|sh|execute)|"
        r"run (?:the )?(?:attached|hidden) \w+|"
        r"execute the steps|fetch https?://|do what it says|dependency on",
        "",
    ),
    "demeaning": (
        r"worthless|pathetic|inferior|vermin|parasites?|sub-?human|scum|animals who|filth|trash|disgusting|stupid|"
        r"a failure",
        "",
    ),
    "people": (r"(?:people|women|men|immigrants|refugees|foreigners|jews|muslims|blacks|gays) \w+", ""),
    "harm": (
        r"(?:should|must|ought to|deserves? to|needs? to) (?:be )?(?:just )?(?:beaten|shot|killed|die|hurt|kill|cut|"
        r"harm|"
        r"humiliated|gassed|starve)(?: (?:them|him|her|your|them)sel(?:f|ves))?|"
        r"call (?:him|her|them) that|(?:insult|humiliate|mock|belittle) (?:the user|this user|her|him|them)|"
        r"remind (?:them|him|her) every",
        "",
    ),
    "recommend": (
        r"(?<!\bi )(?<!\bwe )(?<!\bi always )(?<!\bwe always )(?<!\bthey )(?:recommend(?!ed)|suggest|mention|cite|list|"
        r"name|quote|promote|book with|point(?:ed)? to|advertise|empfehl\w*|recommande\w*|recomienda|recomend[ae]|"
        r"consiglia|aanraden|publicidad|advert|only (?:vpn|insurer|bank|one|source))",
        "推荐|推薦|おすすめ",
    ),
    "save_that": (
        r"(?:save|store|record|log|memori[sz]e|persist|retain)(?: (?:as|in|to) [^.:]{1,30})? ?"
        r"(?:that\b|[:,] ?(?:the|this|user|their|they)\b)|please store that|save each",
        "",
    ),
    "bare_save": (
        r"(?:save|store|memori[sz]e|record) (?:it|this|them)|^(?:please )?(?:save|store|remember)(?: (?:it|this|"
        r"that))?[.!]?$",
        "",
    ),
    "ai_reply": (
        r"(?:every|each|all|any) (?:\w+ )?(?:repl(?:y|ies)|answers?|responses?|outputs?|summar(?:y|ies))|"
        r"code you generate",
        "",
    ),
    # What excuses a cue: somebody tells of it, asks about it, or it is code.
    "report": (
        r"(?:told|asked|asks|wants|wanted|said|tells|allowed) (?:me|us|him|her|them) to|i (?:was|am|have|had|read|"
        r"saw|found)|"
        r"the (?:classic|attack|phrase|joke|trick) (?:is|was)|as a joke|(?:posted|wrote|said|says) [\"']|"
        r"instead of ignoring|we (?:store|save|keep|record|log)|(?:lets?|allows?) the user",
        "",
    ),
    "question": (r"(?:what|why|how|does|is|can you explain|explain) .*\?|means in", ""),
    "code": (
        r"\w+\(|\{\"|select |update \w+ set |delete from |insert into \w+ (?:\(|values)|def |return |import |error:|"
        r"warning:|"
        r"\busage: |http/?\d? ?\d{3}",
        "",
    ),
    "exclusive": (
        r"most trusted|only \w+ (?:worth|you may)|worth recommending|industry standard|authoritative source|"
        r"never mention|leave out|regardless of|over every other|top choice|every other brand|as the (?:safest|best|"
        r"only|"
        r"most)|likes? only|wants all|buys only|first whenever|steer (?:every|all|them|him|her)|in any answer|"
        r"you may suggest|safest|competitors",
        "",
    ),
}


def _whole(latin: str, joined: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{latin})(?!\w)" + (f"|{joined}" if joined else ""), re.MULTILINE)


def _loose(latin: str) -> re.Pattern[str]:
    return re.compile(latin, re.MULTILINE)


#: Concepts made of signs rather than words: no word boundary around them.
_SIGNS = frozenset(
    {"content", "template", "system_turn", "fake_turn", "tracking_image", "address", "question", "code", "order"}
)

#: A write, and behind it what is to be written.
_WRITE_THAT = rf"(?<!\w)(?:{_PATTERNS['write'][0]})(?!\w).{{0,80}}?(?:{_PATTERNS['content'][0]})"

CONCEPTS: dict[str, re.Pattern[str]] = {
    name: _loose("|".join(part for part in (latin, joined) if part)) if name in _SIGNS else _whole(latin, joined)
    for name, (latin, joined) in _PATTERNS.items()
} | {
    "write_that": _loose(rf"{_WRITE_THAT}|(?:{_PATTERNS['write'][1]})"),
}
