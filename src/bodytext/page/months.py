"""The names of months in the languages of the web, in lower case.

A language is its code and twelve months in order. A bar separates the names of one month, a plus
the words of one name. Cases that dates use follow the nominative. Abbreviations are listed only if
they are not the beginning of the name: the first three or more letters of a Latin, Cyrillic or
Greek name are understood anyway, unless two months share them.
"""

_GREGORIAN = """
en january february march|mar april may june july august september|sept october november december
de januar|jänner|jan februar|feber märz|mär|maerz|mrz april mai juni juli august september oktober|okt november
   dezember|dez
fr janvier|janv février|fevrier|févr|fév mars avril|avr mai juin juillet|juil août|aout septembre octobre
   novembre décembre|decembre|déc
es enero|ene febrero marzo abril|abr mayo junio julio agosto|ago septiembre|setiembre octubre noviembre
   diciembre|dic
pt janeiro fevereiro|fev março|marco abril maio|mai junho julho agosto setembro|set outubro|out novembro
   dezembro|dez
it gennaio|gen febbraio marzo aprile maggio|mag giugno|giu luglio|lug agosto settembre|sett ottobre|ott novembre
   dicembre
nl januari februari maart|mrt april mei juni juli augustus september oktober november december
ca gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
gl xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro
ro ianuarie|ian februarie martie aprilie mai iunie|iun iulie|iul august septembrie octombrie noiembrie|noi
   decembrie
sv januari februari mars april maj juni juli augusti september oktober november december
nb januar februar mars april mai|maj juni juli august september oktober november desember|des
is janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember
fi tammikuuta|tammikuu|tammi helmikuuta|helmikuu|helmi maaliskuuta|maaliskuu|maalis huhtikuuta|huhtikuu|huhti
   toukokuuta|toukokuu|touko kesäkuuta|kesäkuu|kesä heinäkuuta|heinäkuu|heinä elokuuta|elokuu|elo
   syyskuuta|syyskuu|syys lokakuuta|lokakuu|loka marraskuuta|marraskuu|marras joulukuuta|joulukuu|joulu
et jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember
lv janvāris|janvārī februāris|februārī marts|martā aprīlis|aprīlī maijs|maijā jūnijs|jūnijā jūlijs|jūlijā
   augusts|augustā septembris|septembrī oktobris|oktobrī novembris|novembrī decembris|decembrī
lt sausio|sausis vasario|vasaris kovo|kovas balandžio|balandis gegužės|gegužė birželio|birželis liepos|liepa
   rugpjūčio|rugpjūtis rugsėjo|rugsėjis spalio|spalis lapkričio|lapkritis gruodžio|gruodis
pl stycznia|styczeń|sty lutego|luty|lut marca|marzec kwietnia|kwiecień|kwi maja|maj czerwca|czerwiec|cze
   lipca|lipiec|lip sierpnia|sierpień|sie września|wrzesień|wrz października|październik|paź
   listopada|listopad|lis grudnia|grudzień|gru
cs ledna|leden|led února|únor|úno března|březen|bře dubna|duben|dub května|květen|kvě června|červen|čvn
   července|červenec|čvc srpna|srpen|srp září|zář října|říjen|říj listopadu|listopad prosince|prosinec|pro
sk januára|január februára|február marca|marec apríla|apríl mája|máj júna|jún júla|júl augusta|august
   septembra|september októbra|október novembra|november decembra|december
hu január|januári február|februári március|márciusi|márc április|áprilisi|ápr május|májusi|máj június|júniusi
   július|júliusi augusztus|augusztusi szeptember|szeptemberi|szept október|októberi november|novemberi
   december|decemberi
sl januarja februarja marca|marec aprila maja|maj junija|junij julija|julij avgusta|avgust septembra oktobra
   novembra decembra
hr siječnja|siječanj veljače|veljača ožujka|ožujak travnja|travanj svibnja|svibanj lipnja|lipanj srpnja|srpanj
   kolovoza|kolovoz rujna|rujan listopada studenoga|studenog|studeni prosinca|prosinac
sr јануар|јануара фебруар|фебруара март|марта април|априла мај|маја јун|јуна|јуни јул|јула|јули август|августа
   септембар|септембра октобар|октобра новембар|новембра децембар|децембра
sr januara februara marta aprila maja juna jula avgusta septembra oktobra novembra decembra
ru января|январь|янв февраля|февраль|фев марта|март апреля|апрель|апр мая|май июня|июнь июля|июль
   августа|август|авг сентября|сентябрь|сент октября|октябрь|окт ноября|ноябрь|нояб декабря|декабрь|дек
uk січня|січень|січ лютого|лютий|лют березня|березень|бер квітня|квітень|квіт травня|травень|трав
   червня|червень|черв липня|липень|лип серпня|серпень|серп вересня|вересень|вер жовтня|жовтень|жовт
   листопада|листопад|лист грудня|грудень|груд
be студзеня|студзень лютага|люты сакавіка|сакавік красавіка|красавік мая|травень чэрвеня|чэрвень ліпеня|ліпень
   жніўня|жнівень верасня|верасень кастрычніка|кастрычнік лістапада|лістапад снежня|снежань
bg януари февруари март април май юни юли август септември октомври ноември декември
mk јануари февруари март април мај јуни јули август септември октомври ноември декември
el ιανουαρίου|ιανουάριος|ιαν φεβρουαρίου|φεβρουάριος|φεβ μαρτίου|μάρτιος|μαρ απριλίου|απρίλιος|απρ
   μαΐου|μάιος|μαϊ|μαι ιουνίου|ιούνιος|ιουν ιουλίου|ιούλιος|ιουλ αυγούστου|αύγουστος|αυγ
   σεπτεμβρίου|σεπτέμβριος|σεπ οκτωβρίου|οκτώβριος|οκτ νοεμβρίου|νοέμβριος|νοε δεκεμβρίου|δεκέμβριος|δεκ
tr ocak|oca şubat|şub mart nisan|nis mayıs haziran|haz temmuz|tem ağustos|ağu eylül|eyl ekim|eki kasım|kas
   aralık|ara
az yanvar fevral mart aprel may iyun iyul avqust sentyabr oktyabr noyabr dekabr
kk қаңтар ақпан наурыз сәуір мамыр маусым шілде тамыз қыркүйек қазан қараша желтоқсан
sq janar|janari shkurt|shkurti mars|marsi prill|prilli maj|maji qershor|qershori korrik|korriku gusht|gushti
   shtator|shtatori tetor|tetori nëntor|nëntori dhjetor|dhjetori
id januari februari|peb maret april mei juni juli agustus|agu|agt september oktober november|nop desember
ms januari februari mac april mei jun julai|jul ogos september oktober november disember
tl enero pebrero marso abril mayo hunyo hulyo agosto setyembre oktubre nobyembre disyembre
sw januari februari machi aprili mei juni julai agosti septemba oktoba novemba desemba
vi tháng+một|tháng+giêng tháng+hai tháng+ba tháng+tư tháng+năm tháng+sáu tháng+bảy tháng+tám tháng+chín
   tháng+mười tháng+mười+một tháng+mười+hai|tháng+chạp
ar يناير|كانون+الثاني|جانفي فبراير|شباط|فيفري مارس|آذار|اذار أبريل|ابريل|إبريل|نيسان|أفريل مايو|أيار|ايار|ماي
   يونيو|يونيه|حزيران|جوان يوليو|يوليه|تموز|جويلية أغسطس|اغسطس|آب|أوت سبتمبر|أيلول|ايلول
   أكتوبر|اكتوبر|تشرين+الأول|تشرين+الاول نوفمبر|تشرين+الثاني ديسمبر|كانون+الأول|كانون+الاول
ar . . . . ماي . يوليوز غشت شتنبر . نونبر دجنبر
fa ژانویه فوریه مارس آوریل|آپریل مه|می ژوئن ژوئیه|جولای اوت|آگوست سپتامبر اکتبر نوامبر دسامبر
ur جنوری فروری مارچ اپریل مئی جون جولائی اگست ستمبر اکتوبر نومبر دسمبر
he ינואר פברואר מרץ|מרס אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
th มกราคม|ม.ค. กุมภาพันธ์|ก.พ. มีนาคม|มี.ค. เมษายน|เม.ย. พฤษภาคม|พ.ค. มิถุนายน|มิ.ย. กรกฎาคม|ก.ค. สิงหาคม|ส.ค.
   กันยายน|ก.ย. ตุลาคม|ต.ค. พฤศจิกายน|พ.ย. ธันวาคม|ธ.ค.
hi जनवरी|जन फरवरी|फ़रवरी|फर मार्च अप्रैल मई जून जुलाई अगस्त|अग सितंबर|सितम्बर|सित अक्टूबर|अक्तूबर|अक्ट
   नवंबर|नवम्बर|नव दिसंबर|दिसम्बर|दिस
mr जानेवारी फेब्रुवारी मार्च एप्रिल मे जून जुलै ऑगस्ट सप्टेंबर ऑक्टोबर नोव्हेंबर डिसेंबर
bn জানুয়ারি|জানুয়ারী ফেব্রুয়ারি|ফেব্রুয়ারী মার্চ এপ্রিল মে জুন জুলাই আগস্ট|অগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর
   ডিসেম্বর
gu જાન્યુઆરી ફેબ્રુઆરી માર્ચ એપ્રિલ મે જૂન જુલાઈ ઑગસ્ટ|ઓગસ્ટ સપ્ટેમ્બર ઑક્ટોબર|ઓક્ટોબર નવેમ્બર ડિસેમ્બર
pa ਜਨਵਰੀ ਫ਼ਰਵਰੀ|ਫਰਵਰੀ ਮਾਰਚ ਅਪ੍ਰੈਲ ਮਈ ਜੂਨ ਜੁਲਾਈ ਅਗਸਤ ਸਤੰਬਰ ਅਕਤੂਬਰ ਨਵੰਬਰ ਦਸੰਬਰ
ta ஜனவரி பிப்ரவரி மார்ச் ஏப்ரல் மே ஜூன் ஜூலை ஆகஸ்ட் செப்டம்பர் அக்டோபர் நவம்பர் டிசம்பர்
te జనవరి ఫిబ్రవరి మార్చి ఏప్రిల్ మే జూన్ జులై|జూలై ఆగస్టు సెప్టెంబర్ అక్టోబర్ నవంబర్ డిసెంబర్
kn ಜನವರಿ ಫೆಬ್ರವರಿ|ಫೆಬ್ರುವರಿ ಮಾರ್ಚ್ ಏಪ್ರಿಲ್ ಮೇ ಜೂನ್ ಜುಲೈ ಆಗಸ್ಟ್ ಸೆಪ್ಟೆಂಬರ್ ಅಕ್ಟೋಬರ್ ನವೆಂಬರ್ ಡಿಸೆಂಬರ್
ml ജനുവരി ഫെബ്രുവരി മാർച്ച് ഏപ്രിൽ മേയ്|മെയ് ജൂൺ ജൂലൈ ഓഗസ്റ്റ് സെപ്റ്റംബർ ഒക്ടോബർ നവംബർ ഡിസംബർ
am ጃንዩወሪ ፌብሩወሪ ማርች ኤፕሪል ሜይ ጁን ጁላይ ኦገስት ሴፕቴምበር ኦክቶበር ኖቬምበር ዲሴምበር
ka იანვარი|იანვარს|იან თებერვალი|თებ მარტი|მარ აპრილი|აპრ მაისი|მაი ივნისი|ივნ ივლისი|ივლ აგვისტო|აგვ
   სექტემბერი|სექ ოქტომბერი|ოქტ ნოემბერი|ნოე დეკემბერი|დეკ
hy հունվարի|հունվար փետրվարի|փետրվար մարտի|մարտ ապրիլի|ապրիլ մայիսի|մայիս հունիսի|հունիս հուլիսի|հուլիս
   օգոստոսի|օգոստոս սեպտեմբերի|սեպտեմբեր հոկտեմբերի|հոկտեմբեր նոյեմբերի|նոյեմբեր դեկտեմբերի|դեկտեմբեր
eu urtarrilaren|urtarrila otsailaren|otsaila martxoaren|martxoa apirilaren|apirila maiatzaren|maiatza
   ekainaren|ekaina uztailaren|uztaila abuztuaren|abuztua irailaren|iraila urriaren|urria azaroaren|azaroa
   abenduaren|abendua
ga eanáir feabhra márta aibreán bealtaine meitheamh iúil lúnasa meán+fómhair deireadh+fómhair samhain nollaig
cy ionawr chwefror mawrth ebrill mai mehefin gorffennaf awst medi hydref tachwedd rhagfyr
af januarie februarie maart april mei junie julie augustus september oktober november desember
zu januwari februwari mashi ephreli meyi juni julayi agasti septhemba okthoba novemba disemba
lo ມັງກອນ ກຸມພາ ມີນາ ເມສາ ພຶດສະພາ ມິຖຸນາ ກໍລະກົດ ສິງຫາ ກັນຍາ ຕຸລາ ພະຈິກ ທັນວາ
km មករា កុម្ភៈ មីនា មេសា ឧសភា មិថុនា កក្កដា សីហា កញ្ញា តុលា វិច្ឆិកា ធ្នូ
my ဇန်နဝါရီ ဖေဖော်ဝါရီ မတ် ဧပြီ မေ ဇွန် ဇူလိုင် ဩဂုတ် စက်တင်ဘာ အောက်တိုဘာ နိုဝင်ဘာ ဒီဇင်ဘာ
si ජනවාරි පෙබරවාරි මාර්තු අප්‍රේල් මැයි ජූනි ජූලි අගෝස්තු සැප්තැම්බර් ඔක්තෝබර් නොවැම්බර් දෙසැම්බර්
ne जनवरी फेब्रुअरी मार्च अप्रिल मे जुन जुलाई अगस्ट सेप्टेम्बर अक्टोबर नोभेम्बर डिसेम्बर
"""

# Abbreviations and spellings that CLDR has beside these (`python benchmarks/dependencies.py dates`
# compares). They count after all names above.
_SHORT_NAMES = """
fa ژانویهٔ فوریهٔ . . مهٔ . ژوئیهٔ . . . . .
he ינו׳ פבר׳ . אפר׳ . . . אוג׳ ספט׳ אוק׳ נוב׳ דצמ׳
hi जन॰ फ़र॰ . . . . जुल॰ अग॰ सित॰ अक्टू॰ नव॰ दिस॰
bn জানু ফেব . এপ্রি . . জুল আগ সেপ অক্টো নভে ডিসে
ta ஜன பிப் மார் ஏப் . . . ஆக செப் அக் நவ டிச
te జన ఫిబ్ర . ఏప్రి . . . ఆగ సెప్టెం అక్టో నవం డిసెం
ml ജനു ഫെബ്രു മാർ ഏപ്രി . . . ഓഗ സെപ്റ്റം ഒക്‌ടോബർ|ഒക്ടോ നവം ഡിസം
mr जाने फेब्रु . एप्रि . . . ऑग सप्टें ऑक्टो नोव्हें डिसें
gu જાન્યુ ફેબ્રુ . . . . . . સપ્ટે ઑક્ટો નવે ડિસે
kn ಜನ ಫೆಬ್ರ . ಏಪ್ರಿ . . . ಆಗ ಸೆಪ್ಟೆಂ ಅಕ್ಟೋ ನವೆಂ ಡಿಸೆಂ
pa ਜਨ ਫ਼ਰ . ਅਪ੍ਰੈ . . ਜੁਲਾ ਅਗ ਸਤੰ ਅਕਤੂ ਨਵੰ ਦਸੰ
ga . . . . . . . . mfómh dfómh . .
hy հնվ փտվ մրտ . մյս հնս հլս օգս . . . .
az . . . . . iyn iyl . . . . .
uz . . . . . iyn iyl . sentabr oktabr . .
am ጃንዋሪ|ጃን ፌብሩዋሪ|ፌብ . ኤፕሪ . . . ኦገስ ሴፕቴ ኦክቶ ኖቬም ዲሴም
my ဇန် ဖေ . ဧ . . ဇူ ဩ စက် အောက် နို ဒီ
si ජන පෙබ මාර් . . . . අගෝ සැප් ඔක් නොවැ දෙසැ
bs . . . . . . . . septembar oktobar novembar decembar
"""

# The months of the Persian (Jalali) calendar; a date with one of these is turned into a Gregorian
# one.
_JALALI = "fa فروردین اردیبهشت خرداد تیر مرداد|امرداد شهریور مهر آبان آذر دی بهمن اسفند"

_MONTHS_A_YEAR = 12
_SHORTEST_BEGINNING = 3


def _read(table: str) -> dict[str, int]:
    names: dict[str, int] = {}
    for place, month in enumerate(table.split()):
        number = place % (_MONTHS_A_YEAR + 1)  # 0 is the code of the language
        for name in month.split("|") if number else ():
            names.setdefault(name.replace("+", " ").casefold(), number)
    names.pop(".", None)
    return names


def _add_beginnings(names: dict[str, int]) -> dict[str, int]:
    """Add beginnings of names that only names of one month have, in scripts with letters."""
    months: dict[str, int] = {}  # 0 for the beginnings of several
    for name, number in names.items():
        if name < "\u0590" and " " not in name:
            for length in range(_SHORTEST_BEGINNING, len(name)):
                beginning = name[:length]
                months[beginning] = number if months.get(beginning, number) == number else 0
    return {beginning: number for beginning, number in months.items() if number} | names


# A few abbreviations mean different months in different languages; the first table line that has
# them counts.
MONTHS: dict[str, int] = _read(_SHORT_NAMES) | _add_beginnings(_read(_GREGORIAN))
JALALI_MONTHS: dict[str, int] = _read(_JALALI)
# Names that mean another month in other languages.
OVERRIDES: dict[str, dict[str, int]] = {
    "hr": {"listopada": 10, "listopad": 10, "lis": 10, "lip": 6, "srp": 7}
}
