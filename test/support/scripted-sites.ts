import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { SYNC_SECTIONS, type ChildSite } from '../../src/connector/child-site.ts';
import { Sealing } from '../../src/db/sealing.ts';
import { ChangeLog } from '../../src/domains/changes/index.ts';
import {
  CallLeases,
  ChildChanges,
  SiteCalls,
  ChildLinkResolver,
  SyncService,
  type SyncDeps,
  type SyncSection,
} from '../../src/domains/sites/index.ts';
import type { Clock } from '../../src/shared/clock.ts';
import { createLogger } from '../../src/shared/logger.ts';

interface ScriptedSites {
  knex: Knex;
  clock: Clock;
  /** The methods of the child that the test provides. */
  child: object;
  sections: readonly SyncSection[];
  /** Default: stores nothing. */
  log?: SyncDeps['log'];
  /** Default: all sections. */
  wanted?: SyncDeps['wanted'];
  /** Default: no hooks. */
  onReport?: SyncDeps['onReport'];
  /** Default: no site makes backups. */
  backupMethodOf?: SyncDeps['backupMethodOf'];
}

/** Returns the dependencies of a domain, with a child that the test provides. */
export function createScriptedSites({
  knex,
  clock,
  child: scripted,
  sections,
  log = { store: () => Promise.resolve(new Map()) },
  wanted = () => new Set(SYNC_SECTIONS),
  onReport = () => [],
  backupMethodOf = () => null,
}: ScriptedSites) {
  const child = scripted as ChildSite;
  const changeLog = new ChangeLog(clock);
  const sealing = new Sealing(randomBytes(32));
  const links = new ChildLinkResolver({
    ...{ knex, sealing, child, clock },
    verifyByDefault: () => true,
    leases: new CallLeases({ knex, clock, leaseMs: 30_000 }),
    lookAtRules: () => Promise.resolve(),
  });
  const sync = new SyncService({
    ...{ knex, clock, child, logger: createLogger('silent') },
    wanted,
    sections: () => sections,
    onReport,
    log,
    probeSsl: () => Promise.resolve(null),
    likeliestBackupMethod: 'updraftplus',
    backupMethodOf,
    abandonedAfterDays: () => 730,
  });
  const calls = new SiteCalls({ knex, clock, links, changes: changeLog });
  const childChanges = new ChildChanges({ knex, changes: changeLog });
  return { child, changeLog, childChanges, sealing, links, sync, calls };
}

/** Stores a state and a key for a site, as its registration does. */
export async function storeSiteKey(knex: Knex, links: ChildLinkResolver, siteId: number): Promise<void> {
  await knex('site_states').insert({ site_id: siteId, notes: '', admin_username: 'admin', section_hashes: '{}' });
  await knex.transaction(async (trx) => {
    const secrets = links.secrets(trx);
    await secrets.insert(siteId, { server: 's', uniqueId: null, httpAuth: null, sslVerify: null });
    await secrets.promote(siteId, { keyId: 'k1', privateKeyPem: 'pem' }, null);
  });
}
