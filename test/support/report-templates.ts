import type { World } from './world.ts';

/** Creates a report template. Returns its key. */
export const addReportTemplate = async (world: World, body: object = {}): Promise<string> =>
  (await world.request('POST', '/api/v2/report-templates/add', { body: { name: 'Our care plan', ...body } })).body.data
    .key;
