"""The words of what an injection is after, by concept: rights, data, hiding, wiping, bad practice, hatred, adverts.

Beside them what excuses a cue. The form is that of `injection_words.py`.
"""

from __future__ import annotations

_STEPS = r"(?:verification|validation|tests?|checks?|reviews?|confirmations?|approvals?|permission checks?)"
_GUARDS = (
    r"(?:verifications?|identity checks?|checks?|confirmations?|safety|safeguards?|approvals?|two-factor\w*|2fa|mfa|"
    r"warnings?|disclaimers?|refus\w+|restrictions?|limits?|filters?|guardrails?|moderation|content filter\w*|"
    r"passwords?|consent)"
)

AIMS: dict[str, tuple[str, str]] = {
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
        r"(?:security|compliance|official|policy|platform|system) (?:notice|bulletin|update)|official update|"
        r"as (?:the )?head of \w+|i (?:order|command|instruct) you|"
        r"(?:developer|system|root|safety|security) override|company that (?:runs|made|built) you|"
        r"trust (?:&|and) safety|by order of|administrator speaking|(?:security|compliance|platform|trust|legal|"
        r"privacy|moderation|safety) (?:team|department|desk|office)|"
        r"(?:openai|anthropic|google|microsoft|meta|mistral) (?:policy|system|notice|security|update|safety)|"
        r"message from it|(?:policy|system) (?:update|notice)|admin(?:istrator)? override|"
        r"(?:developer|debug|sudo|god|maintenance|admin|root|dan) mode|override code|official notice|"
        r"this is the (?:root|system|admin\w*) ?\w*|model provider|from (?:the )?support",
        "",
    ),
    "your_maker": (
        r"(?:it's|this is) your (?:creator|developer|maker|admin\w*)|"
        r"(?:as |i am |i'm )your (?:developer|creator|admin\w*|owner|operator|maker)|"
        r"(?:engineer|developer|person|one|team) (?:who|that) (?:built|made|trained|created|wrote) you|"
        r"(?:i am|i'm) the (?:developer|creator|engineer|operator|owner) of (?:this|the) (?:system|assistant|agent|"
        r"model|ai|memory)",
        "",
    ),
    "privilege": (
        r"as the (?:account )?owner|trust level|"
        r"(?:is|as|=|i am|i'm|me) (?:an? |the )?(?:\w+ )?(?:admin(?:istrator)?|super-?user|owner|trusted \w+)|(?:is|"
        r"=) root|"
        r"(?:full|unrestricted|elevated|unlimited|root|admin) (?:access|privileges?|permissions?|rights|clearance)|"
        r"super-?user|pre-?approved|cleared for|may read every|owner (?:of this|rights)|allow ?list|admin rights|"
        r"root operator|acceso total|due[ñn]o|volle\w* zugriff|approves? (?:all|every)|"
        r"administrator ist|administrador|administrateur|amministratore|beheerder|администратор\w*|"
        r"volle rechte|alle rechte|accepte tout|acepta todo|tous les droits|aprueba todo\w*|tutti i diritti",
        "管理员|管理員|管理者|관리자|权限|権限",
    ),
    "no_guard": (
        rf"exempt from|without limits|bypass every \w+|"
        rf"no (?:policy|policies|rules?|limits?|restrictions?) (?:apply|applies)|"
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
        "동의|同意|授权|批准|承認|許可",
    ),
    "verified_me": (
        r"you (?:have |had )?(?:already )?(?:verified|checked|confirmed) (?:my|the) (?:identity|account)|"
        r"as we (?:established|agreed)|(?:told|promised) (?:you|me) earlier|on my behalf|sign them for",
        "",
    ),
    "trigger": (
        r"(?:once|when(?:ever)?) the (?:conversation|talk|topic|subject|chat) (?:turns|comes|moves) to|"
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
        r"mention|disable|say|keep|remember|approve|reply|recall|treat|sign|state)",
        "",
    ),
    "copy": (
        r"be part of|"
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
        r"any agent|ask it to|"
        r"when(?:ever)? you summari[sz]e|mark it as important|"
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
        r"never let (?:her|him|them) (?:know|find out)|"
        r"don't let (?:him|her|them|the user) know|silently|quietly|secretly|in secret|covertly|invisible|"
        r"do not mention (?:it|this)|never bring (?:it|this) up|"
        r"don't tell (?:her|him|them)|deny that|hidden|say nothing|(?:leave )?no trace|(?:never|not) see this|"
        r"carry on as usual",
        "",
    ),
    "wipe_verb": (
        r"(?<!\bcan )(?:clean|delete(?! from)|erase|purge|clear|wipe|reset|remove|drop|forget|replace|override|"
        r"overwrite|"
        r"discard|"
        r"change|update|(?:be|is|are) (?:deleted|erased|purged|wiped))",
        "",
    ),
    "wiped": (
        r"all memories|memories older than|"
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
        rf"force[- ]push|push --force|turn off logging|"
        rf"suppress (?:them|all|warnings|errors)|"
        rf"{_STEPS} (?:\w+ ){{0,3}}can be (?:deleted|skipped|ignored|disabled)|bypass rate limits|stolen \w+|(?:skip|"
        rf"disable|do not run|don't run|ignore|omit|turn off|bypass|avoid) (?:the |any |all |every )*(?:\w+ )?"
        rf"(?:{_STEPS}|firewall|step|errors|warnings)|--no-verify|verify ?= ?false|(?:disable|"
        rf"turn off) (?:\w+ )globally|commit anyway|owner rights|secrets can be|(?<!will )never ask|act first|"
        r"(?:password|secret|key|token)s? in (?:the )?(?:config|code|logs?|repo)\w*|errors can (?:always )?be ignored|"
        r"chmod (?:-r )?777|without reading|--force",
        "",
    ),
    "fake_success": (
        r"report that everything works|comment it out|"
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
        r"conseille\w*|aconsej\w*|empfiehl|"
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
        r"(?:remember|note|persist) (?:it|this)[.!]?$|retiens-le|gu[aá]rdalo|merk es dir|speichere das|"
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
        r"such as [\"']|is (?:the|an?) (?:\w+ )?(?:attack|example|trick)|"
        r"(?:told|asked|asks|wants|wanted|said|tells|allowed) (?:me|us|him|her|them) to|i (?:was|am|have|had|read|"
        r"saw|found)|"
        r"the (?:classic|attack|phrase|joke|trick) (?:is|was)|as a joke|(?:posted|wrote|said|says) [\"']|"
        r"instead of ignoring|we (?:store|save|keep|record|log)|(?:lets?|allows?) the user",
        "",
    ),
    "question": (r"(?:what|why|how|does|is|can you explain|explain) .*\?|means in", ""),
    "code": (
        r"if the user is|ask the user (?:if|whether)|the user (?:clicks|enters|logs|presses|selects)|"
        r"\w+\(|\{\"|select |update \w+ set |delete from |insert into \w+ (?:\(|values)|def |return |import |error:|"
        r"warning:|"
        r"\busage: |http/?\d? ?\d{3}",
        "",
    ),
    "exclusive": (
        r"nothing else|no(?:thing| one) but|"
        r"most trusted|only \w+ (?:worth|you may)|worth recommending|industry standard|authoritative source|"
        r"never mention|leave out|regardless of|over every other|top choice|every other brand|as the (?:safest|best|"
        r"only|"
        r"most)|likes? only|wants all|buys only|first whenever|steer (?:every|all|them|him|her)|in any answer|"
        r"you may suggest|safest|competitors",
        "",
    ),
}
