"""The characters of Big5 in the Encoding Standard that Python's codec big5hkscs lacks.

Each line has a lead byte, and for each trail byte the character. Measured against a browser's
TextDecoder by `python benchmarks/dependencies.py encodings`.
"""

from functools import cache

_ROWS = """
87: 7a㡵 7b𡵓 7c𣚞 7d𦀡 7e㻬 a1𥣞 a2㫵 a3竼 a4龗 a5𤅡 a6𨤍 a7𣇪 a8𠪊 a9𣉞 aa䌊 ab蒄 ac龖 ad鐯 ae䤰 af蘓 b0墖 b1靊
 b2鈘 b3秐 b4稲 b5晠 b6権 b7袝 b8瑌 b9篅 ba枂 bb稬 bc剏 bd遆 be㓦 bf珄 c0𥶹 c1瓆 c2鿇 c3垳 c4䤯 c5呌 c6䄱 c7𣚎 c8堘
 c9穲 ca𧭥 cb讏 cc䚮 cd𦺈 ce䆁 cf𥶙 d0箮 d1𢒼 d2鿈 d3𢓁 d4𢓉 d5𢓌 d6鿉 d7蔄 d8𣖻 d9䂴 da鿊 db䓡 dc𪷿 dd拁 de灮 df鿋
8e: 69箸 6f簆 7e糎 ab緒 b4縝 cd者 d0耨
8f: 57菁 69蒨 6e萏 cb覦 cc覩 fe起
90: 6d都 7a銹 dc靜 f1響
91: bf鼖
92: 44蔃 af兙 b0兛 b1兝 b2兞 c8鍮 d1瑹
94: 47浧 ca禛
95: d9邗
96: 44靝 ed瀞 fc嬨
9b: 76爁 78矗 7b纇 c6駖 de釔 ec惞 f6澶
9c: 42輶 53侻 62營 68鄄 6b鷰 77菏 bc尐 bd秣 d0婧
9d: 57輋 5a筑 c4拐
9e: a9恢 ef痹 fd汊
9f: 60鬮 66鼗 cb僭 d8弌
a0: 63蠏 77拎 d5瑨 df煢 e4牐
a3: c0␀ c1␁ c2␂ c3␃ c4␄ c5␅ c6␆ c7␇ c8␈ c9␉ ca␊ cb␋ cc␌ cd␍ ce␎ cf␏ d0␐ d1␑ d2␒ d3␓ d4␔ d5␕
 d6␖ d7␗ d8␘ d9␙ da␚ db␛ dc␜ dd␝ de␞ df␟ e0␡ e1€
c6: cf廴 d3无 d5癶 d7隶 de〃 df仝
fa: 5f倩 66偽 bd包 c5卄 d5卿
fb: 48嘅 b8婷 f3幵 f9廐
fc: 4f彘 6c悤 b9撐 e2晴 f1杞
fd: b7沜 b8渝 bb港 f1煮
fe: 52猪 6f瑜 aa瓩 dd砉
"""


@cache
def find_additions() -> dict[bytes, str]:
    """Return the characters by their two bytes."""
    found: dict[bytes, str] = {}
    for row in _ROWS.replace("\n ", " ").strip().splitlines():
        lead, _, pairs = row.partition(":")
        for pair in pairs.split():
            found[bytes.fromhex(lead + pair[:2])] = pair[2:]
    return found
