"""Words that tell two names apart, or that do not: own lists, English."""

from __future__ import annotations

_COUNTING = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_TENS = {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90"}
# A single V or X is a letter; II to XVI are numbers.
_ROMAN = "ii iii iv vi vii viii ix xi xii xiii xiv xv xvi"
_ROMAN_VALUES = (2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16)
NUMBER_WORDS = (
    {word: str(n) for n, word in enumerate(_COUNTING.split())}
    | _TENS
    | {word: str(n) for word, n in zip(_ROMAN.split(), _ROMAN_VALUES, strict=True)}
)

_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
ORDINAL_WORDS = {word: str(n + 1) for n, word in enumerate(_ORDINALS.split())}

_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
CALENDAR = {w: w for w in f"{_MONTHS} {_DAYS} spring summer autumn winter".split()} | {
    "fall": "autumn",
    "jan": "january",
    "feb": "february",
    "mar": "march",
    "apr": "april",
    "jun": "june",
    "jul": "july",
    "aug": "august",
    "sep": "september",
    "sept": "september",
    "oct": "october",
    "nov": "november",
    "dec": "december",
    "mon": "monday",
    "tue": "tuesday",
    "tues": "tuesday",
    "wed": "wednesday",
    "thu": "thursday",
    "thurs": "thursday",
    "fri": "friday",
    "sat": "saturday",
    "sun": "sunday",
}

_VARIANTS_WORDS = (
    "pro max mini lite light plus ultra se xl xxl xs xr air nano micro standard basic premium deluxe alpha beta rc "
    "staging production prod dev preview nightly classic kids junior home enterprise express turbo core sport special "
    "limited professional student essential essentials advanced slim fold flip ti hd uhd oled le gt rs gts business "
    "starter free trial demo legacy remastered extended anniversary hybrid electric diesel"
)
VARIANTS = frozenset(_VARIANTS_WORDS.split())

# Words of one line exclude each other in the same place of two names that are equal else, but not those between bars.
_OPPOSITES = """
left | right | middle
front | back rear
frontend | backend
upper top | lower bottom
inner inside internal | outer outside external
indoor indoors | outdoor outdoors
upstairs | downstairs
hot warm | cold cool
open | closed
new | old used
big large huge | medium | small little tiny
long tall | short
high | low
early | late
morning | midday noon | afternoon | evening night | midnight
day | night
breakfast | lunch | dinner
male men mens man boy boys | female women womens woman girl girls
father dad | mother mom mum
brother | sister
son | daughter
husband | wife
uncle | aunt
grandfather grandpa | grandmother grandma granny
nephew | niece
king | queen
public | private
primary | secondary
major | minor
maximum | minimum
buy | sell
buyer | seller
input | output
import | export
entry entrance | exit
push | pull
upload | download
sender | receiver
client | server
source | target
first | last
previous | next
before | after
sunrise | sunset
sweet | sour | salty | bitter
wet | dry
soft | hard
light | dark
full | empty
fast | slow
junior | senior
single | double | triple
manual | automatic
digital | analog analogue
online | offline
north northern | south southern | east eastern | west western
northeast | northwest | southeast | southwest
red | green | blue | yellow gold | orange | purple violet | pink magenta | black | white | grey gray silver | brown
turquoise cyan | red | pink | black | white
garden | bedroom | bathroom | kitchen | garage | attic | basement cellar | office | balcony porch | hallway
""".strip().splitlines()

# A word to the sides that it is on: line to side.
OPPOSITES: dict[str, dict[int, int]] = {}
for _line, _text in enumerate(_OPPOSITES):
    for _side, _words in enumerate(_text.split("|")):
        for _word in _words.split():
            OPPOSITES.setdefault(_word, {})[_line] = _side

# Two writings of one word.
SPELLINGS: dict[str, str] = {}
_SPELLINGS = """
colour color
flavour flavor
neighbour neighbor
neighbourhood neighborhood
favourite favorite
behaviour behavior
harbour harbor
honour honor
humour humor
labour labor
rumour rumor
savoury savory
armour armor
odour odor
vapour vapor
parlour parlor
endeavour endeavor
centre center
theatre theater
fibre fiber
litre liter
metre meter
kilometre kilometer
calibre caliber
sombre somber
spectre specter
lustre luster
sabre saber
grey gray
plough plow
programme program
catalogue catalog
dialogue dialog
analogue analog
licence license
defence defense
offence offense
pretence pretense
jewellery jewelry
aluminium aluminum
tyre tire
pyjamas pajamas
moustache mustache
yoghurt yogurt
whisky whiskey
doughnut donut
mould mold
moult molt
sulphur sulfur
cosy cozy
sceptic skeptic
cheque check
kerb curb
storey story
aeroplane airplane
manoeuvre maneuver
anaesthetic anesthetic
anaesthesia anesthesia
paediatrician pediatrician
paediatric pediatric
orthopaedic orthopedic
gynaecologist gynecologist
haemoglobin hemoglobin
diarrhoea diarrhea
oestrogen estrogen
oesophagus esophagus
foetus fetus
encyclopaedia encyclopedia
mediaeval medieval
archaeology archeology
organisation organization
organiser organizer
realisation realization
specialisation specialization
optimisation optimization
visualisation visualization
normalisation normalization
authorisation authorization
globalisation globalization
modernisation modernization
tokenisation tokenization
initialisation initialization
serialisation serialization
analyser analyzer
traveller traveler
travelling traveling
modelling modeling
labelling labeling
cancelled canceled
counsellor counselor
counselling counseling
jeweller jeweler
woollen woolen
marvellous marvelous
fulfilment fulfillment
enrolment enrollment
instalment installment
skilful skillful
wilful willful
ageing aging
judgement judgment
acknowledgement acknowledgment
artefact artifact
axe ax
ketchup catsup
omelette omelet
cigarette cigaret
routeing routing
""".strip().splitlines()
for _text in _SPELLINGS:
    _british, _american = _text.split()
    SPELLINGS[_british] = _american
# The same letters are two words here: a check is more than a cheque.
for _ambiguous in ("cheque", "storey", "kerb", "tyre"):
    del SPELLINGS[_ambiguous]

# Their plural is another thing, or they are no plural (notes: names, section 3).
_NOT_PLURAL_WORDS = (
    "glasses goods woods letters arms customs spectacles clothes cloths works trunks manners spirits news series "
    "species physics mathematics economics politics ethics athletics gymnastics statistics headquarters means lens "
    "gas bus atlas canvas chaos pants shorts scissors jeans pliers tights minutes quarters colors colours airs ashes "
    "brains forces grounds heights lines looks looms mains odds papers pains powers premises scales stairs talks "
    "terms times troops waters ways wits dues corps commons compasses marvels binoculars savings thanks tropics "
    "analytics robotics logistics electronics"
)
NOT_PLURAL = frozenset(_NOT_PLURAL_WORDS.split())
