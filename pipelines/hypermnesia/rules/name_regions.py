"""Regions and countries that qualify a place's name: own lists (US and Canadian regions, countries in English)."""

from __future__ import annotations

_US = (
    "al alabama|ak alaska|az arizona|ar arkansas|ca california|co colorado|ct connecticut|de delaware|fl florida|"
    "ga georgia|hi hawaii|id idaho|il illinois|in indiana|ia iowa|ks kansas|ky kentucky|la louisiana|me maine|"
    "md maryland|ma massachusetts|mi michigan|mn minnesota|ms mississippi|mo missouri|mt montana|ne nebraska|"
    "nv nevada|nh new hampshire|nj new jersey|nm new mexico|ny new york|nc north carolina|nd north dakota|oh ohio|"
    "ok oklahoma|or oregon|pa pennsylvania|ri rhode island|sc south carolina|sd south dakota|tn tennessee|tx texas|"
    "ut utah|vt vermont|va virginia|wa washington|wv west virginia|wi wisconsin|wy wyoming|dc district of columbia"
)
_CANADA = (
    "ab alberta|bc british columbia|mb manitoba|nb new brunswick|nl newfoundland and labrador|ns nova scotia|"
    "nt northwest territories|nu nunavut|on ontario|pe prince edward island|qc quebec|sk saskatchewan|yt yukon"
)
US_CODES = dict(entry.split(" ", 1) for entry in _US.split("|"))
CODES = US_CODES | dict(entry.split(" ", 1) for entry in _CANADA.split("|"))
US_REGIONS = frozenset(US_CODES.values())
REGIONS = frozenset(CODES.values())

COUNTRY_ALIASES = {
    "us": "united states", "usa": "united states", "united states of america": "united states",
    "uk": "united kingdom", "uae": "united arab emirates", "great britain": "united kingdom",
}  # fmt: skip
_COUNTRIES = (
    "afghanistan|albania|algeria|andorra|angola|argentina|armenia|australia|austria|azerbaijan|bahamas|bahrain|"
    "bangladesh|barbados|belarus|belgium|belize|benin|bhutan|bolivia|bosnia and herzegovina|botswana|brazil|brunei|"
    "bulgaria|burkina faso|burundi|cambodia|cameroon|canada|cape verde|central african republic|chad|chile|china|"
    "colombia|comoros|costa rica|croatia|cuba|cyprus|czechia|czech republic|denmark|djibouti|dominica|"
    "dominican republic|ecuador|egypt|el salvador|england|equatorial guinea|eritrea|estonia|eswatini|ethiopia|fiji|"
    "finland|france|gabon|gambia|germany|ghana|greece|greenland|grenada|guatemala|guinea|guyana|haiti|honduras|"
    "hong kong|hungary|iceland|india|indonesia|iran|iraq|ireland|israel|italy|ivory coast|jamaica|japan|jordan|"
    "kazakhstan|kenya|kosovo|kuwait|kyrgyzstan|laos|latvia|lebanon|lesotho|liberia|libya|liechtenstein|lithuania|"
    "luxembourg|madagascar|malawi|malaysia|maldives|mali|malta|mauritania|mauritius|mexico|moldova|monaco|mongolia|"
    "montenegro|morocco|mozambique|myanmar|namibia|nepal|netherlands|new zealand|nicaragua|niger|nigeria|"
    "north korea|north macedonia|northern ireland|norway|oman|pakistan|palestine|panama|papua new guinea|paraguay|"
    "peru|philippines|poland|portugal|puerto rico|qatar|romania|russia|rwanda|saudi arabia|scotland|senegal|serbia|"
    "seychelles|sierra leone|singapore|slovakia|slovenia|somalia|south africa|south korea|south sudan|spain|"
    "sri lanka|sudan|suriname|sweden|switzerland|syria|taiwan|tajikistan|tanzania|thailand|togo|"
    "trinidad and tobago|tunisia|turkey|turkmenistan|uganda|ukraine|united arab emirates|united kingdom|"
    "united states|uruguay|uzbekistan|vatican city|venezuela|vietnam|wales|yemen|zambia|zimbabwe"
)
COUNTRIES = frozenset(_COUNTRIES.split("|"))
# Parts of a country: "Bath, England" is in the United Kingdom, so these two never conflict.
WITHIN = dict.fromkeys(("england", "scotland", "wales", "northern ireland"), "united kingdom") | {
    "puerto rico": "united states", "hong kong": "china", "greenland": "denmark",
}  # fmt: skip
