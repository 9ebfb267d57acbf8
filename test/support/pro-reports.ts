import type { CallOptions, World } from './world.ts';

/** All fields of all reports. The contract check verifies which fields a report has. */
export interface Report {
  segment: string;
  source: string;
  start_date: string;
  end_date: string;
  made_at: string;
  time_zone: string;
  total: number;
  items: Record<string, unknown>[];
  counts: Record<string, number>;
  summary: Record<string, unknown>;
  sections_data: Record<string, string>[][];
  other_tokens_data: Record<string, string>;
}

type Query = Record<string, string>;

export const NOVEMBER_2026 = { start_date: '2026-11-01', end_date: '2026-11-30' };

const pathOf = (site: number | string, segment: string, query: Query): string =>
  `/api/v2/pro-reports/${site}/${segment}?${new URLSearchParams({ ...NOVEMBER_2026, ...query }).toString()}`;

/** Returns the path of a report of November. */
export const reportPath = (path: string, query: Query): string =>
  `/api/v2/${path}?${new URLSearchParams({ ...NOVEMBER_2026, ...query }).toString()}`;

/** Returns one segment of a report on a site. */
export const readReport = async (world: World, site: number, segment: string, query: Query = {}): Promise<Report> =>
  (await world.request('GET', pathOf(site, segment, query))).body.data;

/** Returns the fields that the error of a call names. */
export async function refusedFields(world: World, site: number, segment: string, query: Query): Promise<string[]> {
  const { body } = await world.request('GET', pathOf(site, segment, query), { expect: 400 });
  return body.data.errors.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`);
}

export const refuseReport = (world: World, site: number | string, segment: string, options: CallOptions) =>
  world.request('GET', pathOf(site, segment, {}), options);

/** Returns the lines of a segment and the headers. */
export async function readCsv(world: World, site: number, segment: string, query: Query = {}) {
  const { text, headers } = await world
    .agent()
    .get(pathOf(site, segment, { ...query, format: 'csv' }))
    .expect(200);
  return { text, headers, lines: text.split('\r\n').slice(0, -1) };
}

/** Returns several segments of a report on a site. */
export const readReports = async (world: World, site: number | string, query: Query = {}) => {
  const path = `/api/v2/pro-reports/${site}?${new URLSearchParams({ ...NOVEMBER_2026, ...query }).toString()}`;
  const { body } = await world.request('GET', path);
  return body.data as {
    time_zone: string;
    known_since: string;
    segments: Record<string, Report>;
    errors: { segment: string; code: string }[];
  };
};

/** Returns several segments of each site of a client. */
export const readClientReport = async (world: World, client: number | string, query: Query = {}) => {
  const path = `/api/v2/clients/${client}/pro-reports?${new URLSearchParams({ ...NOVEMBER_2026, ...query }).toString()}`;
  return (await world.request('GET', path)).body;
};
