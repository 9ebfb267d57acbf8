/** Words without a meaning for the search. */
const STOP_WORDS = new Set(
  (
    'a all an and any anything are as at be by can could currently day do does each every everyone everything find for ' +
    'from get give had has have how i if in into is it its last list make me month my now of on or our out over please ' +
    'recent see set show soon take tell that the their them there these this to today us want was we week what when ' +
    'where which who will with would year yesterday you your'
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
    'vulnerability vulnerable cve exploit',
    'expiry expire expiration',
    'available pending outdated',
    'month monthly',
    'mail email outbox',
    'performance speed pagespeed lighthouse',
    'setting configuration option preference',
    'cost price expense subscription',
    'permission right',
    'key token',
    'check verify test',
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

/** Returns the words of a text in the form in which the search compares them. */
export function searchWordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words
    .filter((word) => !STOP_WORDS.has(word))
    .map((word) => {
      const stem = stemOf(word);
      return SYNONYMS[stem] ?? stem;
    });
}

/** Removes English endings, so that `updates`, `updating` and `updated` are one word. */
function stemOf(word: string): string {
  if (word.length < 4) return word;
  const singular = word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
  const stem = singular.replace(/(?<=\w{3})(?:ing|ed|ion)$/, '');
  return stem.replace(/([^aeiouls])\1$/, '$1').replace(/(?<=\w{3})e$/, '');
}
