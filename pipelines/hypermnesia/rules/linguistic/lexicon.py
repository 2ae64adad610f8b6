"""The extractor's word lists: what a verb, noun or preposition does to a frame (`notes/extraction.md`)."""

from __future__ import annotations

from hypermnesia.rules.modality_words import PLAN_WORDS


def words(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


#: Verbs that say little by themselves: their noun is the second predicate.
LIGHT_VERBS = words("take have make do get give go pay hold throw run attend")
#: Verbs of talk and thought: a frame only with an anchor that is no person.
PHATIC = words(
    "know see hear mean thank hope wait think guess say tell ask bet wish suppose agree understand imagine let "
    "look sound seem appreciate talk feel worry wonder remember forget care want need try stay miss"
)
#: Verbs whose infinitive is a plan of their subject.
PLANNING = PLAN_WORDS | words("consider wish schedule look think dream need book like")
#: Of these, the ones that only plan with "to" or "about" behind "would" or a progressive form.
PLANNING_IN_PROGRESS = words("think look dream consider")
NEGATIVE_GOVERNORS = words("refuse decline avoid fail forget")
UNREAL_GOVERNORS = words("wish imagine pretend dream suppose")
UNREAL_MODALS = words("might could would may should")
PERHAPS = words("maybe perhaps possibly hopefully")
#: Places of stories: what happens in them did not.
FICTION = words("novel dream story game movie film book roleplay role-play fiction show play nightmare campaign")

#: Verbs whose object acts in the infinitive behind it.
OBJECT_CONTROL = words(
    "help teach let make ask tell want allow encourage convince persuade invite force get push inspire remind "
    "need expect hire train order advise have hear see watch"
)
#: Of these, the ones whose person is told something.
TELLING = words("teach ask tell remind advise promise show")
NAMING = words("name call dub christen")

#: "to" after these leads to a person who gets something.
GIVING = words("give send tell show talk speak write bring sell lend offer present read explain propose mention pass "
                "introduce donate say listen pay award reach hand feed sing email text")  # fmt: skip
MAKING_FOR = words("make buy bake cook build get knit sew write draw paint order find prepare")

IMPERATIVES = words(
    "look keep check thank take tell let remember stay come have enjoy give hang wait go try make stop do be send "
    "feel see call forget add mix boil bake cook pour stir cut chop drain put set open close click press type "
    "select run install turn remove place heat preheat whisk fold season serve wash rinse peel slice simmer fry "
    "roast grill attach connect insert restart reboot download copy paste save delete write read log sign enter "
    "choose repeat leave cover let allow measure drill sand paint glue plug unplug hold push pull lift lower fill "
    "empty apply wipe clean dry create update build test deploy commit clone configure start use visit ask email "
    "book compare verify"
)

#: Nouns that are places behind in, at, on, to, from.
PLACE_NOUNS = words(
    "home house apartment flat room kitchen garden yard park beach lake river sea ocean mountain forest island "
    "city town village country street road school college university class office work gym studio library museum "
    "gallery theater theatre cinema restaurant cafe bar pub club shop store market mall hotel airport station "
    "hospital clinic church temple shelter farm zoo stadium court pool center centre bank bakery salon court camp "
    "campsite trail highway bridge festival concert conference party wedding recital event neighborhood area "
    "world hallway tower warehouse garage basement attic balcony field orchestra choir team group workshop course"
)

#: Of these, the ones that one is by, and that do nothing: "left by the lake".
LANDSCAPE = words("lake river sea ocean beach mountain forest road street trail bridge pool")
#: Of these, the ones that are people together or no one place.
GROUPS = words("team group choir orchestra class course workshop world event area company work field court")

#: Nouns of measure: "a box of cookies" is cookies.
MEASURES = words(
    "lot bunch couple box bottle glass cup piece kind sort type bit pair group number set series range variety "
    "plate slice bowl bag pack ton part rest handful dozen amount load array collection"
)
#: Nouns that say nothing by themselves.
EMPTY_NOUNS = words(
    "thing stuff cool awesome nice way time lot kind sort bit one something anything everything nothing someone "
    "anyone everyone nobody name day year month week hour minute moment today tomorrow yesterday tonight morning "
    "afternoon evening night weekend mind sense sure luck fun wow guy thank worry bye look see cheer cheers bud "
    "buddy pal man thanks congrats hi hey congratulation welcome reason fact point case deal while second idea"
)
EMPTY_ENTITIES = frozenset({"DATE", "TIME", "MONEY", "PERCENT", "QUANTITY", "CARDINAL", "ORDINAL"})

#: Adjectives of quality: no part of a name, whatever their ending.
QUALITIES = words(
    "special real usual final fantastic terrific actual total beautiful wonderful awful helpful useful peaceful "
    "colorful successful thoughtful meaningful powerful graceful grateful cool personal typical exceptional "
    "essential emotional magical incredible local small full cruel gorgeous additional initial general ideal "
    "equal huge official artistic enthusiastic romantic ironic realistic energetic nostalgic original global "
    "exotic iconic cozy"
)
#: Other adjectives that make the kind: "dark chocolate".
KINDS = words(
    "dark hot cold wild stuffed vintage electric elderly front open solar human northern southern eastern western"
)
RELATIONAL_ENDINGS = ("al", "ic", "ese", "ian", "ean", "ar")

#: Family and other people of somebody; the value is the inventory's predicate.
KIN = {
    "sister": "sister", "brother": "brother", "mother": "mother", "mom": "mother", "mum": "mother",
    "father": "father", "dad": "father", "son": "son", "daughter": "daughter", "wife": "wife", "husband": "husband",
    "partner": "partner", "girlfriend": "girlfriend", "boyfriend": "boyfriend", "fiance": "fiance",
    "fiancé": "fiance", "fiancee": "fiance", "fiancée": "fiance", "spouse": "spouse", "cousin": "cousin",
    "aunt": "aunt", "uncle": "uncle", "niece": "niece", "nephew": "nephew", "grandmother": "grandmother",
    "grandma": "grandmother", "granny": "grandmother", "grandfather": "grandfather", "grandpa": "grandfather",
    "grandson": "grandson", "granddaughter": "granddaughter", "roommate": "roommate", "flatmate": "roommate",
    "neighbor": "neighbor", "neighbour": "neighbor", "boss": "boss", "coworker": "coworker", "colleague": "coworker",
    "teacher": "teacher", "therapist": "therapist", "doctor": "doctor", "friend": "friend",
    "stepmother": "stepmother", "stepfather": "stepfather", "twin": "twin", "kid": "child", "child": "child",
}  # fmt: skip
FAMILY = words(
    "sister brother son daughter kid child sibling twin cousin nephew niece grandson granddaughter grandchild"
)
#: People without a name of their own, so "my kids" are "Maya's kids".
RELATIVES = frozenset(KIN) | words("parent sibling family grandparent team baby ex nanny mentor manager")
PEOPLE_NOUNS = RELATIVES | words("man woman boy girl guy people landlord dentist chef artist student teammate mayor")
PETS = words(
    "dog cat puppy kitten parrot hamster rabbit bunny bird fish goldfish turtle tortoise horse pony snake lizard "
    "gecko guinea pig ferret budgie canary chicken goat rat mouse pup greyhound labrador poodle retriever "
    "shepherd beagle"
)

#: Endings of nouns that name no thing one could touch.
ABSTRACT_ENDINGS = ("ness", "ity", "tion", "sion", "ment", "ism", "ship", "ance", "ence", "hood", "ing", "logy", "ics")
ENTITY_TYPES = {
    "PERSON": "person", "ORG": "organization", "NORP": "concept", "GPE": "location", "LOC": "location",
    "FAC": "location", "EVENT": "event", "WORK_OF_ART": "work", "LAW": "concept", "LANGUAGE": "concept",
    "PRODUCT": "object",
}  # fmt: skip
EVENT_NOUNS = words(
    "party wedding concert festival trip marathon race conference meeting exam recital birthday anniversary "
    "holiday vacation game match tournament workshop class lesson course appointment interview funeral graduation "
    "reunion picnic hike tour show exhibition event competition accident surgery ceremony parade fair renovation "
    "dinner lunch"
)
