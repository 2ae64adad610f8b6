"""Word lists of stable facts: jobs, conditions, diets, instruments, games."""

from __future__ import annotations

import re

from hypermnesia.rules.linguistic.lexicon import words

DIETS = words(
    "vegetarian vegan pescatarian pescetarian kosher halal flexitarian gluten-free dairy-free teetotal omnivore"
)
CONDITIONS = words(
    "diabetes asthma epilepsy anxiety depression cancer migraine migraines insomnia adhd autism arthritis anemia "
    "eczema dyslexia hypertension hiv endometriosis psoriasis ptsd ocd vertigo tinnitus scoliosis glaucoma celiac "
    "lupus"
)
CONDITION_HEADS = words("disease disorder syndrome allergy intolerance deficiency condition")
CONDITION_ENDING = re.compile(r"(?:itis|osis|emia|algia|opathy|plegia|trophy)$")
HEALTH_ADJECTIVES = words(
    "diabetic asthmatic autistic epileptic dyslexic deaf blind intolerant colorblind colourblind pregnant celiac anemic"
)

OCCUPATIONS = words(
    "nurse chef pilot pharmacist electrician firefighter teacher doctor engineer lawyer artist writer musician "
    "carpenter plumber dentist therapist vet veterinarian architect designer developer programmer scientist "
    "researcher professor accountant journalist photographer manager consultant analyst barista waiter waitress "
    "cook baker farmer mechanic driver nanny soldier sailor librarian editor translator actor actress dancer "
    "singer painter sculptor counselor psychologist surgeon paramedic midwife physicist chemist biologist "
    "economist banker cashier clerk secretary receptionist coach trainer tutor lecturer principal director "
    "producer filmmaker entrepreneur freelancer contractor builder gardener florist tailor hairdresser barber "
    "butcher fisherman policeman policewoman detective judge attorney paralegal politician diplomat priest pastor "
    "rabbi imam monk intern apprentice assistant technician operator welder machinist realtor salesman saleswoman "
    "marketer recruiter statistician mathematician historian archaeologist geologist astronomer astronaut "
    "zookeeper ranger bartender butler housekeeper janitor cleaner superintendent student model novelist poet "
    "author blogger youtuber streamer gamer athlete boxer swimmer footballer instructor optometrist radiologist "
    "cardiologist pediatrician neurologist physiotherapist nutritionist dietitian stylist curator animator "
    "illustrator potter luthier goldsmith jeweler courier postman mailman"
)

INSTRUMENTS_AND_GAMES = words(
    "piano guitar violin cello viola drums drum flute clarinet saxophone trumpet trombone harp ukulele bass banjo "
    "accordion organ oboe bassoon harmonica mandolin keyboard recorder tuba chess tennis football soccer "
    "basketball baseball volleyball golf badminton hockey rugby cricket squash poker bridge go pool darts "
    "softball lacrosse handball polo videogames games"
)
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS = {w: str(n) for n, w in enumerate(_SMALL.split())}
NUMBER_WORDS |= {w: str(n * 10) for n, w in enumerate(_TENS.split(), start=2)}

LIKING = words("love like enjoy adore prefer")
DISLIKING = words("hate dislike detest loathe despise")
DOUBTING = words("think guess believe feel suspect assume wonder doubt hope imagine pretend joke fear")
#: Nouns behind "the" that are meant in general: "I love the sea".
GENERAL_WITH_THE = words("sea ocean beach mountain outdoors rain snow forest countryside theater theatre sun city")
FIELDS = words(
    "law medicine history art arts business engineering nursing architecture design philosophy math maths "
    "accounting finance education literature music science sciences psychology journalism marketing theology "
    "chemistry theatre french spanish german english italian chinese japanese russian arabic latin film dance "
    "dentistry pharmacy"
)
FIELD_ENDINGS = (
    "logy",
    "omics",
    "istics",
    "istry",
    "onomy",
    "ysics",
    "atics",
    " science",
    " sciences",
    " studies",
    " design",
)
SCHOOLS = words("university college school academy institute conservatory polytechnic")
