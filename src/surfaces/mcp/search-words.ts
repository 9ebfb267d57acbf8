const STOP_WORDS = new Set(
  (
    'a again all am an and any anybody anyone anything are as at be been before being by can could currently day ' +
    'days did do does each eight either else ever every everybody everyone everything find first five fleet for four ' +
    'from get give had has have he her his how i if in into is it its just last let list make may me might month ' +
    'months more most much must my need nine no nobody not now of off on one ones or our out over own per please put ' +
    'recent same see set seven she should show six so some somebody someone something soon take tell ten than that ' +
    'the their them then there these they this those three to today too turn two us use very want was we week weeks ' +
    'were what whatever when where whether which who whom whose why will with without would year years yesterday you ' +
    'your'
  ).split(' '),
);

/** Words that callers use for the same thing. The first word of each line stands for all of them. */
const SYNONYMS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'count many number total',
    'delete remove erase uninstall',
    'add create new register',
    'edit change modify rename',
    'update upgrade patch',
    'site website blog',
    'client customer',
    'tag label',
    'certificate ssl tls',
    'domain whois',
    'uptime down offline downtime availability outage',
    'plan dry simulate simulation',
    'vulnerability vulnerable cve exploit hole exposure',
    'expiry expire expiration',
    'available pending outdated',
    'month monthly',
    'mail email outbox',
    'performance speed pagespeed lighthouse slow slowest fast',
    'setting configuration option preference',
    'cost price expense subscription fee',
    'permission right',
    'key token',
    'check verify test',
    'cancel stop abort',
    'moderate approve unapprove',
    'pin freeze',
    'abandoned unmaintained maintain orphaned',
    'csv spreadsheet excel',
    'automatic auto automatically',
    'caller whoami',
    'install deploy',
    'history log',
    'task todo',
    'schedule cron',
    'download export',
  ].flatMap((line) => {
    const [first = '', ...others] = line.split(' ');
    return others.map((word) => [stemOf(word), stemOf(first)]);
  }),
);

export function searchWordsOf(text: string): string[] {
  return wordsIn(text).map(searchWordOf);
}

export interface QueryWord {
  word: string;
  isName: boolean;
}

/**
 * Returns the words as `searchWordsOf` does, each once. A word with a capital letter counts as a name, except at the
 * start of the query.
 */
export function queryWordsOf(query: string): QueryWord[] {
  const text = query.replace(/\bwho am i\b/i, 'whoami');
  const names = new Set(wordsIn(text.replace(/^\W*\w+/, '').replace(/(?<!\p{L})\p{Ll}[\p{L}\p{N}]*/gu, ' ')));
  const words = new Map(wordsIn(text).map((word) => [searchWordOf(word), names.has(word)]));
  return [...words].map(([word, isName]) => ({ word, isName }));
}

const searchWordOf = (word: string): string => {
  const stem = stemOf(word);
  return SYNONYMS[stem] ?? stem;
};

function wordsIn(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .replace(/['’]s\b/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word) && !/^\p{N}+$/u.test(word));
}

/** Removes English endings, so that `updates`, `updating` and `updated` are one word. */
function stemOf(word: string): string {
  if (word.length < 4) return word;
  const singular = word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
  const stem = singular.replace(/(?<=\w{3})(?:ing|ed|ion)$/, '');
  return stem.replace(/([^aeiouls])\1$/, '$1').replace(/(?<=\w{3})e$/, '');
}
