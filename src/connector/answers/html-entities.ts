const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ' +
  'para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil ' +
  'Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave ' +
  'Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml ' +
  'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute ' +
  'thorn yuml';

const OTHERS: Record<string, number> = {
  ...{ amp: 0x26, AMP: 0x26, lt: 0x3c, LT: 0x3c, gt: 0x3e, GT: 0x3e, quot: 0x22, QUOT: 0x22, apos: 0x27 },
  ...{ OElig: 0x152, oelig: 0x153, Scaron: 0x160, scaron: 0x161, Yuml: 0x178, fnof: 0x192, circ: 0x2c6, tilde: 0x2dc },
  ...{
    ensp: 0x20,
    emsp: 0x20,
    thinsp: 0x20,
    ndash: 0x2013,
    mdash: 0x2014,
    lsquo: 0x2018,
    rsquo: 0x2019,
    sbquo: 0x201a,
  },
  ...{ ldquo: 0x201c, rdquo: 0x201d, bdquo: 0x201e, dagger: 0x2020, Dagger: 0x2021, bull: 0x2022, hellip: 0x2026 },
  ...{ permil: 0x2030, prime: 0x2032, Prime: 0x2033, lsaquo: 0x2039, rsaquo: 0x203a, frasl: 0x2044, euro: 0x20ac },
  ...{
    trade: 0x2122,
    larr: 0x2190,
    uarr: 0x2191,
    rarr: 0x2192,
    darr: 0x2193,
    harr: 0x2194,
    minus: 0x2212,
    infin: 0x221e,
  },
  ...{ ne: 0x2260, le: 0x2264, ge: 0x2265, zwnj: 0x200c, zwj: 0x200d, lrm: 0x200e, rlm: 0x200f },
};

const NAMED = new Map<string, string>([
  ...LATIN_1.split(' ').map((name, index): [string, string] => [name, String.fromCodePoint(0xa0 + index)]),
  ...Object.entries(OTHERS).map(([name, code]): [string, string] => [name, String.fromCodePoint(code)]),
  ['nbsp', ' '],
]);

/** Decodes entities in one pass, so that the result is not decoded again. */
export function decodeHtmlEntities(value: string): string {
  return value.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,7}));/gi, (whole, ten, sixteen, name) => {
    if (typeof name === 'string') return NAMED.get(name) ?? whole;
    const code = typeof ten === 'string' ? Number(ten) : parseInt(sixteen as string, 16);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '';
  });
}

/** An ampersand that was encoded repeatedly: `&amp;amp;#38;quot;` stands for `&quot;`. */
const WRAPPED = /&(?:(?:amp|#0*38|#x0*26);)+/gi;
const MAX_PASSES = 5;

/**
 * Decodes names and titles, which plugins and themes encode once, twice or not at all. The result contains nothing that
 * a browser would decode.
 */
export function decodeNestedHtmlEntities(value: string): string {
  let text = value;
  for (let pass = 0; pass < MAX_PASSES && text.includes('&'); pass++) {
    const decoded = decodeHtmlEntities(text.replace(WRAPPED, '&'));
    if (decoded === text) break;
    text = decoded;
  }
  return text;
}
