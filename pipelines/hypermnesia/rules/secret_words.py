"""Words that decide whether what stands behind a cue is a secret or ordinary talk."""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


#: What "the password is ..." says of a password without naming it.
NOT_A_VALUE = words(
    """
    a about above again all also always an and any anything as at available back bad below blank blocked broken but
    by case-sensitive changed compromised correct default different difficult disabled easy empty encrypted
    enough even everything expired expiring fine for forgotten free from gone good great hard hashed having here
    hidden i if important in incorrect insecure invalid it it's its just known leaked legit like locked long lost
    mandatory me missing must my needed never new no none not nothing now null obvious of off ok okay old on only
    optional or our out pending please private protected public random really refused rejected required reset
    revoked right safe same saved secret secure sent set shared short should simple so some something soon stale
    stored string strong stuck stupid temporary terrible that the there they this to too tricky under undefined unique
    unknown unsafe until updated useless valid very visible was weak what when where which who with working written
    wrong your true false yes pls thanks todo tbd n/a none? same. idk fixed hers his theirs mine yours unchanged
    recovery protection manager managers policy field reset? hint hints generator prompt login being been
    falsch richtig abgelaufen vergessen gesperrt geändert unbekannt weg zu schwach sicher stark lang kurz gleich
    das die der ein eine nicht noch neu alt im in auf an hier da dort notwendig nötig leer ungültig gültig bitte wo
    geheim wichtig kompliziert einfach
    incorrecta correcta incorrecto correcto mala débil segura larga corta igual misma la el los un una no ya muy
    inválida obligatoria necesaria vacía olvidada aquí allí en nueva vieja paciencia secreta fácil difícil
    incorrecte correcte faux mauvais expiré oublié faible fort sûr long court même nouveau le un une pas ne trop dans
    ici là requis obligatoire vide invalide perdu simple difficile
    """
)

#: What may follow a plain word that is a password: "is swordfish btw".
AFTER_A_VALUE = words(
    "btw by if but so until and for please thanks then because expires y und et aber bitte pero por mais pour per like "
    "if you on everywhere again now in case"
)

#: Nouns that make "... code 123" no secret.
OPEN_CODES = words(
    """
    zip postal post area country dialing dialling calling error status exit http https return response discount promo
    promotion promotional voucher coupon referral invite invitation booking reservation course class subject dress
    color colour colors hex rgb tax swift bic airport iata icao fare product item article source bar qr morse cheat dtc
    fault sort branch gift menu cost time dates date building-code currency language unicode ascii hs sku order
    customer vendor department school station zone fabric paint style stock trouble diagnostic crash event reason
    ticket flight train penal civil labor fiscal model part batch lot project charge billing cpt icd diagnosis medical
    machine python javascript java html css legacy sample test unit open git new bad clean spaghetti
    plz vorwahl fehler rabatt gutschein farb produkt buchungs postleitzahl fehlercode rabattcode gutscheincode
    promocode zipcode barcode qrcode postcode errorcode statuscode farbcode decode encode unicode barcodes
    descuento error promoción promocional país barras reserva fuente vestimenta civil
    promo couleur erreur réduction pays barres réservation source route vestimentaire
    """
)

#: What a door, gate, locker or alarm is called.
_PLACES = (
    r"doors?|front door|back door|gates?|lockers?|alarms?|safe|garage|lock ?-?box|key ?box|key ?safe|entry|entrance|"
    r"building|keypad|key ?pad|padlock|bike lock|lock|luggage|suitcase|shed|storage|elevator|lift|pool|apartment|flat|"
    r"house|office|parking|intercom|buzzer|gym|cabinet|vault|airbnb|cabin|lobby|mailbox|barrier|"
    r"stairwell|basement|cellar|courtyard|turnstile|combination lock|letter ?box|"
    r"tür|türe|haustür|tor|alarmanlage|tresor|schließfach|schlüsselkasten|schlüsselbox|schlüsseltresor|fahrradschloss|"
    r"schloss|spind|eingang|hoftor|keller|zahlenschloss|koffer|"
    r"puerta|portal|alarma|garaje|caja fuerte|candado|taquilla|edificio|entrada|portón|cerradura|"
    r"porte|portail|portillon|immeuble|alarme|coffre(?:-fort)?|cadenas|entrée|casier|boîte à clés?|digicode|interphone"
)
PLACE = re.compile(
    rf"(?<![\w-])(?:{_PLACES})(?![\w-])|(?:tür|tor|alarm|tresor|schloss|garagen|zugangs|keller|haus)-?codes?\b|"
    r"\b(?:get|let (?:yourself|you|me|us)|come|buzz (?:yourself|you)) in\b|\bdisarm\b|\bunlocks?\b",
    re.IGNORECASE,
)

#: What says that a code signs somebody in once.
LOGIN = re.compile(
    r"verif|confirm|log ?in|log(?:ging)? in|sign[ -]?(?:in|up)|one[ -]time|2fa|two[ -]factor|mfa|otp\b|authenticat|"
    r"\bsms\b|"
    r"\btext(?:ed|s)?\b|whats ?app|google|apple|amazon|instagram|facebook|paypal|uber|bank|expires|do not share|"
    r"never share|don't share|(?:this|your|my) account|bestätig|anmelde|\btan\b|einmal|teile|connexion|iniciar|acceso|"
    r"verificación|vérification|único|unique|valid for",
    re.IGNORECASE,
)
WIFI = re.compile(
    r"wi-?fi|wlan|router|\bssid\b|hotspot|\bnetwork\b|netzwerk|\bclé wifi\b|guest net|access point|wpa2?\b",
    re.IGNORECASE,
)
CARD = re.compile(r"\b(?:card|karte\w*|tarjeta|carte|visa|mastercard|amex|back|front)\b", re.IGNORECASE)

#: Words that no recovery phrase has.
PROSE = words("the and for with was but not has had his her our its are der die das und los las les des une")
