import assert from 'node:assert/strict';
import { operationsOf } from '../../src/contract/index.ts';
import { operationPoliciesOf } from '../../src/http/operation-policy.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';

/** Operations of v2 that are served by POST alone and do the same as an ability that may run twice. */
const TWINS: Record<string, string[]> = {
  'sync-sites-v1': ['sites_sync', 'sites_sync_all'],
  'check-site-v1': ['sites_check', 'monitors_check'],
  'check-sites-v1': ['sites_check_all'],
  'reconnect-site-v1': ['sites_reconnect'],
  'reconnect-sites-v1': ['sites_reconnect_all'],
  'disconnect-site-v1': ['sites_disconnect'],
  'disconnect-sites-v1': ['sites_disconnect_all'],
  'suspend-site-v1': ['sites_suspend'],
  'unsuspend-site-v1': ['sites_unsuspend'],
  'suspend-client-v1': ['clients_suspend'],
  'unsuspend-client-v1': ['clients_unsuspend'],
  'activate-site-plugins-v1': ['sites_plugins_activate'],
  'deactivate-site-plugins-v1': ['sites_plugins_deactivate'],
  'activate-site-theme-v1': ['sites_themes_activate'],
};

/** Operations of v2 alone that are served by POST alone, and whose second run finds the state of the first. */
const WITHOUT_TWIN = [
  'domain_monitor_check',
  'packages_add',
  'packages_fetch',
  'packages_upload',
  'reports_discard',
  'reports_release',
  'reports_revoke_links',
  'service_users_revoke_passwords',
  'sites_packages_check',
];

describe('operations that run again after an interruption', () => {
  const repeatableOf = (surface: 'abilities' | 'v2'): Set<string> =>
    new Set(
      [...operationPoliciesOf(readContract(surface)).values()].flatMap(({ id, idempotency }) =>
        idempotency.isRepeatable ? [id] : [],
      ),
    );

  it('when v2 has the same operation as an ability, then both are repeatable', () => {
    const abilities = repeatableOf('abilities');
    for (const name of Object.keys(TWINS)) assert.ok(abilities.has(name), name);
    const [contract, repeatable] = [readContract('v2'), repeatableOf('v2')];
    const onlyPosted = operationsOf(contract).filter(({ verb, item }) => verb === 'post' && !item.put && !item.delete);
    const found = onlyPosted.map(({ operation }) => operation.operationId).filter((id) => repeatable.has(id));
    assert.deepEqual(found.sort(), [...Object.values(TWINS).flat(), ...WITHOUT_TWIN].sort());
  });

  it('when an operation creates something or runs several others, then it is not repeatable', () => {
    const repeatable = repeatableOf('v2');
    for (const id of ['sites_add', 'posts_create', 'updates_run', 'schedules_run', 'batch_run', 'reports_send'])
      assert.ok(!repeatable.has(id), id);
  });
});
