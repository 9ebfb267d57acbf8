import type { BenchService } from '../processes.ts';
import * as scale from './scale.ts';
import { isSuccess, send } from './service-calls.ts';

/** Key that sees only some sites. A list joins its rows with these sites, so another part of it can be slow. */
export interface LimitedKey {
  name: string;
  authorization: string;
  /** True if the records that worst-case paths name are visible: the busy site and the busy client. */
  seesBusySite: boolean;
}

const LIMITS = [
  { name: 'half of the sites', limit: { tags: [scale.HALF_TAG] }, seesBusySite: true },
  { name: '5 sites', limit: { sites: scale.FEW_SITES }, seesBusySite: false },
] as const;

export const addLimitedKeys = (service: BenchService): Promise<LimitedKey[]> =>
  Promise.all(
    LIMITS.map(async ({ name, limit, seesBusySite }) => {
      const body = JSON.stringify({ permissions: 'read,write', description: name, limit });
      const added = await send(service, { method: 'POST', path: '/api/v2/rest-api/add-key', body });
      if (!isSuccess(added)) throw new Error(`No key for ${name}: ${JSON.stringify(added.json)}`);
      const { token } = (added.json?.['data'] ?? {}) as { token?: string };
      return { name, authorization: `Bearer ${token ?? ''}`, seesBusySite };
    }),
  );
