"""List the most frequent short words of each language: a page of running text has some of them.

English has the eight of Rae et al. (2021). The others are words of the same kinds: articles,
prepositions, conjunctions, pronouns and auxiliary verbs among the twenty or so most frequent words.
Vietnamese has more, because a compound is several words there: with 16 words, one in twenty pieces
of 50 words had none or one.
"""

STOP_WORDS = {
    "en": "the be to of and that have with",
    "vi": "và của là có cho không được với các những trong một người này đã để từ ở đến khi vào cũng như theo sẽ vì",
    "af": "die en van is in het nie wat om te",
    "ar": "في من على أن إلى هذا التي عن مع كان",
    "bg": "на и да в се от за че не са",
    "bn": "এবং এই করে থেকে না হয় তার জন্য ও একটি",
    "ca": "de la que i el a en les per amb",
    "cs": "a se v na je že s z do to",
    "da": "og i at det er en til på som af",
    "de": "der die und in den von zu das mit sich ist nicht",
    "el": "και το να του η της με που για από",
    "es": "de la que el en y a los se del por con",
    "et": "ja on ei et see ka oli kui mis ta",
    "fa": "و در به از که این را با است برای",
    "fi": "ja on ei että se oli hän mutta myös kun",
    "fr": "de la le et les des en un du une que est",
    "he": "של את על לא הוא זה עם כי גם או",
    "hi": "के में की है और से को का पर ने",
    "hr": "i je u na se da su za od s",
    "hu": "a az és hogy nem is egy van meg csak",
    "id": "yang dan di dengan untuk dari ini tidak itu dalam pada",
    "is": "og að í á er sem til það við um",
    "it": "di e il la che in un a per è del con",
    "lt": "ir į iš kad su yra bet ar tai kaip",
    "lv": "un ir no ar par kas ka uz tas arī",
    "mk": "на и во да се од за е со не",
    "ms": "yang dan di dengan untuk dari ini tidak itu dalam pada",
    "nl": "de van het een en in is dat op te niet",
    "no": "og i det er på som en til av for",
    "pl": "w i na z się do nie że to jest",
    "pt": "de a o que e do da em um para com não",
    "ro": "de și în a la cu pe să nu din care",
    "ru": "и в не на что с по как это к",
    "sk": "a sa v na je že s z do to",
    "sl": "in je v na se da so za z ki",
    "sq": "e të në i për me që një nga është",
    "sr": "и је у на се да су за од с i je u na se da su za od",
    "sv": "och i att det som en på är av för",
    "sw": "ya na wa kwa ni katika la za kuwa hii",
    "ta": "என்று ஒரு இந்த அந்த என மற்றும் உள்ள ஆகும் இது அவர்",
    "tl": "ng sa ang na mga ay at para hindi siya",
    "tr": "ve bir bu da de için ile olarak çok daha",
    "uk": "і в на не що з у до та як",
    "ur": "کے میں کی ہے اور سے کو کا پر نے",
}
# Languages that write these words without spaces around them: they are searched anywhere in the
# text.
INNER_STOP_WORDS = {
    "ja": "の は に を が と で た も",
    "km": "និង ជា នៅ បាន ដែល ក្នុង មាន របស់",
    "ko": "은 는 이 가 을 를 의 에 다",
    "lo": "ແລະ ທີ່ ໃນ ຂອງ ເປັນ ໄດ້ ມີ ການ",
    "my": "သည် များ ၏ နှင့် တွင် ကို မှ",
    "th": "ที่ และ ใน การ เป็น ของ ได้ มี",
    "zh": "的 是 在 了 和 有 不 为 為 一",
}
