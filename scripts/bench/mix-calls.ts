import type { Call } from './load.ts';

/** Twenty calls: 40 % are lists of sites, 30 % single sites, 15 % lists of updates and 15 % `/api/v2/sites`. */
const ORDER = 'LGLULGSLGLULGSLGULSG';

/** A prime number, so that calls of each kind get to all pages. */
const TURNS = 997;

const ability = (name: string, search: string): string => `/abilities/v1/svc/${name}/run?${search}`;

/** Returns the calls of the mix by their number. The pages of a fleet of this size take turns. */
export function mixOf(sites: number): (number: number) => Call {
  return (number) => {
    const kind = ORDER[number % ORDER.length];
    const turn = number % TURNS;
    const page = 1 + (turn % (sites / 20));
    if (kind === 'L') return { path: ability('list-sites-v1', `input[page]=${page}&input[per_page]=20`) };
    if (kind === 'G') return { path: ability('get-site-v1', `input[site_id_or_domain]=${1 + (turn % sites)}`) };
    if (kind === 'U') return { path: ability('list-updates-v1', `input[page]=${1 + (turn % 20)}&input[per_page]=50`) };
    return { path: `/api/v2/sites?page=${page}&per_page=20` };
  };
}
