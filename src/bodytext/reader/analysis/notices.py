"""Recognise sentences that talk to the reader of a page instead of telling the article.

Invitations ("Read more:", "Sign up for our newsletter"), legal notices, credits of pictures, notes
about authors, and lines of programs stay in the text, where they may belong, but are never in a
summary. So do the phrases that CUTER's lexicon has learned.
"""

import re

from bodytext.methods.noise_phrases import LONGEST, is_noise_phrase

# In several languages
_BEGINNINGS = (
    r"read (?:more|also|next|the full|our|on|this)", r"see (?:also|more|which|all|our)",
    r"more (?:on|from|about|stories|here|info)", r"also read", r"related",
    r"watch(?: now| the video|:)", r"listen (?:here|to the|now|on)", r"click", r"tap here",
    r"sign up", r"sign in", r"log in", r"subscribe", r"follow (?:us|me|him|her|them|@)",
    r"share (?:this|your)", r"download (?:the|our|now)", r"get started",
    r"get (?:the latest|our|your|stock|a free)", r"join (?:us|our|now)", r"use our", r"try our",
    r"check out", r"shop ", r"buy ", r"e-?mail this", r"print this", r"send (?:this|us|a link)",
    r"help (?:me|us) ", r"if you (?:like|enjoy|have (?:any|more) questions|find this)",
    r"thanks for reading", r"thank you for (?:reading|joining|subscribing)", r"add (?:music|us)",
    r"this (?:article|post|story|page) (?:contains|may contain|was (?:first |originally )?(?:published|produced))",
    r"this (?:site|website)", r"we may (?:be compensated|earn|receive)", r"i agree",
    r"terms (?:and|apply|of)", r"copyright", r"©", r"photo(?:graph)?s?(?: by|:| credit)",
    r"image(?: credit|:|s:)", r"illustration by", r"picture:", r"credit:", r"file ?-",
    r"advertisement", r"sponsored", r"editor's note", r"correction:", r"disclaimer",
    r"disclosure", r"last updated", r"updated:", r"from the .{3,30} issue", r"lesen sie",
    r"lesen auch", r"mehr (?:zum|über|dazu|aus)", r"auch interessant", r"hier geht",
    r"jetzt (?:anmelden|abonnieren|lesen|testen)", r"abonnieren", r"melden sie", r"foto:",
    r"bild:", r"quelle:", r"lire (?:aussi|la suite|également)", r"à lire", r"abonnez",
    r"inscrivez", r"cliquez", r"crédit", r"lee (?:también|más)", r"leer (?:más|también)",
    r"suscr[ií]b", r"haz clic", r"pulsa", r"leggi (?:anche|tutto)", r"iscriviti", r"clicca",
    r"abbonati", r"leia (?:também|mais)", r"inscreva", r"assine", r"clique",
    r"lees (?:ook|meer|verder)", r"les (?:også|mer)", r"läs (?:också|mer)", r"læs (?:også|mere)",
    r"czytaj (?:także|też|więcej)", r"читайте", r"подпи[сш]", r"подробнее", r"читай також",
    r"читайте також", r"devamını", r"abone ol", r"baca juga", r"xem thêm", r"đọc thêm", r"もっと読む",
    r"関連記事", r"続きを読む", r"写真[:：=＝]", r"更多", r"点击", r"責任編輯", r"责任编辑", r"来源[:：]", r"延伸閱讀", r"延伸阅读",
    r"원문", r"관련기사", r"check here", r"invest better", r"full results from",
    r"find (?:out more|our)",
)  # fmt: skip
_WITHIN = (
    r"newsletter", r"\bsubscrib(?:e|er|ers|ing) (?:to|now|today|for)",
    r"sign up (?:for|to|now|here|today)", r"click (?:here|on|the|below)", r"affiliate",
    r"commission at no", r"earn (?:us )?a commission", r"small commission", r"\bcookies\b",
    r"your browser", r"all rights reserved", r"your inbox",
    r"leave (?:a|your) (?:review|comment)", r"in the comments", r"comments? below",
    r"privacy policy", r"terms of (?:use|service)", r"california consumer", r"follow us",
    r"file photo", r"getty images", r"reuters/", r"/afp", r"afp /", r"/dpa", r"shutterstock",
    r"marketing emails", r"premium services",
    r"personali[sz]ed (?:ads|marketing|recommendations)", r"no longer supported",
    r"enable javascript", r"our (?:find-a-|free )?(?:tool|app|newsletter|podcast|premium)\b",
    r"this article was", r"originally (?:published|appeared)", r"may edit your comments",
    r"financial advis", r"for general information only", r"brings you the best",
    r"\bhere's how we\b", r"delivers? you\b", r"lesen sie (?:hier|auch|mehr)",
    r"unseren newsletter", r"newsletters?\b", r"abonnieren sie", r"notre newsletter",
    r"nuestro boletín", r"nostra newsletter", r"not fdic", r"not intended to (?:replace|provide)",
    r"believed to be reliable", r"may lose value", r"ap photo",
    r"our (?:product comparison|content|ranking)", r"is committed to (?:delivering|providing)",
    r"subject to the risks", r"non-profit academic", r"systematic review and meta-analysis",
    r"years of experience", r"editor-in-chief", r"reader-supported", r"earn commissions",
    r"(?:accept|receive) payments? from", r"vendors may pay", r"disclosure policy",
    r"opt[ -]out of the sale",
    r"^prior to [^.]{3,60}, \w+ (?:taught|worked|was|served)",
)  # fmt: skip
_AUTHORS = r"writer|editor|reporter|correspondent|journalist|contributor|columnist|analyst"
_AUTHOR = (
    rf"\bis (?:an? |the )(?:[\w&,-]+ ){{0,6}}(?:{_AUTHORS})\b"
    r"|\b(?:contributing|senior|staff|freelance) (?:editor|writer|reporter)\b"
)
_PROGRAM = r"https?://|www\.|[{}]|\w=[\"']|\t"
_LABEL = re.compile(r"[A-ZÄÖÜÉ]{3,}[ A-ZÄÖÜÉ]{0,30}:")  # READ MORE: WATCH: LESEN SIE AUCH:
_NOTICE = re.compile(
    rf"\A\W{{0,6}}(?:{'|'.join(_BEGINNINGS)})|{'|'.join(_WITHIN)}|{_AUTHOR}|{_PROGRAM}",
    re.IGNORECASE,
)


def is_notice(sentence: str) -> bool:
    """Whether a sentence talks to the reader of the page, or is no sentence of prose at all.

    >>> is_notice("READ MORE: Storm closes harbour."), is_notice("The storm closed the harbour.")
    (True, False)
    """
    return (
        _NOTICE.search(sentence) is not None
        or _LABEL.match(sentence) is not None
        or (len(sentence) <= LONGEST and is_noise_phrase(sentence))
    )
