/**
 * Last days of security updates of PHP versions, from https://www.php.net/eol.php and
 * https://www.php.net/supported-versions.php. Later versions are supported beyond 2029.
 */
const END_OF_SUPPORT: Readonly<Record<string, string>> = {
  '5.6': '2018-12-31',
  '7.0': '2019-01-10',
  '7.1': '2019-12-01',
  '7.2': '2020-11-30',
  '7.3': '2021-12-06',
  '7.4': '2022-11-28',
  '8.0': '2023-11-26',
  '8.1': '2025-12-31',
  '8.2': '2026-12-31',
  '8.3': '2027-12-31',
  '8.4': '2028-12-31',
  '8.5': '2029-12-31',
};

export function phpSupportEndedBefore(version: string, day: string): { version: string; lastDay: string } | null {
  const branch = /^\d+\.\d+/.exec(version)?.[0] ?? '';
  const lastDay = END_OF_SUPPORT[branch];
  return lastDay !== undefined && lastDay < day ? { version: branch, lastDay } : null;
}
