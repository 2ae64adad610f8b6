"""What WhatsApp itself writes into a chat, by language: data, extended by adding a phrase.

Languages: English, German, French, Spanish, Italian, Portuguese, Dutch. What another language writes in
place of media is still known by its angle brackets; its other notices read as what somebody said.
"""

from __future__ import annotations

import re

#: The app's own marks of direction, and the spaces it puts around times.
MARKS = "\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069"

DELETED = re.compile(
    r"(this message was deleted( by .*)?|you deleted this message( as .*)?"
    r"|diese nachricht wurde (von .* )?gelöscht|du hast diese nachricht gelöscht"
    r"|ce message a été supprimé|vous avez supprimé ce message|tu as supprimé ce message"
    r"|(se )?eliminó este mensaje|este mensaje fue eliminado|eliminaste este mensaje"
    r"|questo messaggio è stato eliminato|hai eliminato questo messaggio"
    r"|(esta )?mensagem (foi )?apagada|você apagou esta mensagem|apagou esta mensagem"
    r"|dit bericht is verwijderd|(u hebt|u heeft|je hebt) dit bericht verwijderd)\.?",
    re.IGNORECASE,
)

EDITED = re.compile(
    r"<(this message was edited|diese nachricht wurde bearbeitet|ce message a été modifié"
    r"|(se editó este mensaje|este mensaje fue editado)|questo messaggio è stato modificato"
    rf"|(mensagem editada|esta mensagem foi editada)|dit bericht is bewerkt)\.?>[{MARKS}]*$",
    re.IGNORECASE,
)

#: "image omitted" and its like, by type; the words of each language in a line.
OMITTED_KINDS = {
    "image": "image bild imagen immagine imagem afbeelding photo foto",
    "video": "video vidéo vídeo videonachricht",
    "audio": "audio voice spraaknotitie",
    "sticker": "sticker figurinha stickers",
    "gif": "gif",
    "document": "document dokument documento",
    "contact": "contact kontaktkarte carte tarjeta scheda cartão contactkaart",
}
OMITTED = re.compile(
    r"(?P<kind>[^\W\d_]+)(?: [^\W\d_]+){0,3} "
    r"(omitted|weggelassen|ausgelassen|omitid[oa]|absente?|omise?|omess[oa]|ocultad[oa]|weggelaten)",
    re.IGNORECASE,
)

#: An attached file: "<attached: x.jpg>", or "x.jpg (file attached)".
ATTACHED = re.compile(
    r"<(attached|anhang|pièce jointe|adjunto|allegato|anexado|bijlage)\s?: (?P<name>[^<>\n]+)>", re.IGNORECASE
)
FILE_ATTACHED = re.compile(
    rf"[{MARKS}]*(?P<name>[^\n]+\.\w{{1,5}}) "
    r"\((file attached|datei angehängt|fichier joint|archivo adjunto|file allegato|arquivo anexado"
    r"|bestand bijgevoegd)\)",
    re.IGNORECASE,
)

_NOTICES = (
    r"messages (and calls|to this (chat|group))?.*end-to-end encrypted",
    r"nachrichten.*ende-zu-ende-verschlüsselt",
    r"messages.*chiffrés de bout en bout",
    r"(los )?mensajes.*cifrad[oa]s de extremo a extremo",
    r"i messaggi.*crittografati? end-to-end",
    r"as mensagens.*criptografi?a de ponta a ponta",
    r"berichten.*end-to-end versleuteld",
    r"(.{1,60} )?(created|changed) (this|the) (group|community)",
    r".{1,60} created group [\"“]",
    r".{1,60} changed (the (subject|group name) |the group description|this group's|the group's|their phone number)",
    r".{1,60} changed to \+",
    r".{1,60} (turned (on|off) disappearing|updated the message timer|pinned a message)",
    r".{1,60} (was|were) (added|removed)\.?$",
    r"(you|.{1,40}) (added|removed) (you|\+?[\w \-]{1,40})\.?$",
    r".{1,60} (left|joined)( (the|this) group)?\.?$",
    r".{1,60} joined (using|from|via) ",
    r"(you're|.{1,40} is|.{1,40} are) now an admin",
    r"(your )?security code (with .* )?changed",
    r"missed (group )?(voice|video) call",
    r"(you blocked|you unblocked) this contact",
    r".{1,60} (hat|haben) (die gruppe|den betreff|das gruppenbild) .*",
    r".{1,60} (a créé le groupe|a changé l'objet) .*",
    r".{1,60} (creó el grupo|cambió el asunto) .*",
    r".{1,60} ha (creato il gruppo|cambiato l'oggetto).*",
    r".{1,60} (criou (o|este) grupo|mudou o assunto).*",
    r".{1,60} (heeft de groep|heeft het onderwerp) .*",
)
#: A notice of the app, matched from the start of a line that names no author or begins with the app's mark.
NOTICE = re.compile("|".join(f"(?:{pattern})" for pattern in _NOTICES), re.IGNORECASE)

#: What stands before a chat's name in the name of its file.
CHAT_NAME = re.compile(
    r"(?:WhatsApp[ -]Chat(?: with| mit| met| con)?(?: -)?|Chat (?:de )?WhatsApp con|Discussion WhatsApp avec"
    r"|Conversa do WhatsApp com|Chat WhatsApp con)\s+(?P<name>.+)",
    re.IGNORECASE,
)
