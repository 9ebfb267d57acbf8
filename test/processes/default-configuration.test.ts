import assert from 'node:assert/strict';
import { isAlternativeVerb, type LocatedOperation } from '../../src/contract/index.ts';
import { checkResponse } from '../support/contract-check.ts';
import { documentedOperations } from '../support/documented-operations.ts';
import { until } from '../support/until.ts';
import { exampleCall, exampleRequest, namesIn } from '../../src/contract-checks/index.ts';
import { DocumentedWorld } from './documented-world.ts';

// Runs on SQLite only: the service has its default configuration.

/** Returns the example response of the contract. */
function documentedAnswer({ operation }: LocatedOperation): unknown {
  const [answer] = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const [media] = Object.values(answer?.[1].content ?? {}) as { example?: unknown }[];
  return media?.example;
}

/** Operations that need a configuration first, with the error code that says so. */
const NEEDS_SET_UP: Record<string, string> = { outbox_resend: 'svc_mail_not_sendable' };

const CHECKS_ARE_NOT_LOGGED = 'what is looked at is not changed; its results have a history of their own';
const JOBS = 'the jobs tell who asked for them; what one does to a site is logged site by site';

/** Writing operations without an entry in the change log, with the reason. */
const UNLOGGED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['check-site-v1', 'check-sites-v1', 'sites_check', 'sites_check_all', 'monitors_check'],
      ...['ssl_monitor_check', 'domain_monitor_check', 'perf_audit_run', 'perf_audit_run_all'],
      'sites_packages_check',
      ...['sync-sites-v1', 'sites_sync', 'sites_sync_all', 'sites_batch'],
    ].map((operation) => [operation, CHECKS_ARE_NOT_LOGGED]),
  ),
  ...Object.fromEntries(['jobs_cancel', 'jobs_retry_failed', 'schedules_run'].map((operation) => [operation, JOBS])),
  reports_revoke_links: 'without a public address, reports have no links that could be revoked',
  users_import: 'its example names sites that are not here',
  vulnerability_fixes_run: 'without a feed, nothing is known to be vulnerable; installed versions are logged by site',
  tools_dismiss_message: 'a message is put away for one user alone',
  tools_restore_info_messages: 'a message is put away for one user alone',
};

/** True if an operation changes something. Alternative verbs are not counted. */
function isChange({ item, verb, operation: { operationId } }: LocatedOperation): boolean {
  if (operationId.includes('__') || operationId in UNLOGGED) return false;
  return item['x-ability'] ? !item['x-ability'].readonly : verb !== 'get';
}

/** Returns the number of failed items of a successful call. */
const failuresIn = (answer: unknown): number => ((answer as { errors?: unknown[] } | undefined)?.errors ?? []).length;

// The default database is SQLite.
if (!process.env['TEST_DATABASE_URL'])
  describe('a service with default configuration', () => {
    let world: DocumentedWorld;
    before(async () => (world = await DocumentedWorld.start()));
    after(() => world.close());

    for (const { contract, place } of documentedOperations()) {
      const { operationId } = place.operation;
      it(`when the example of ${operationId} is sent, then the operation succeeds and has its effect`, async () => {
        const given = await world.prepare(operationId, namesIn(contract, place));
        const { method, path, body, contentType } = await exampleRequest(contract, place, given);
        const known = await world.newestChange();
        // The SDK has one verb per operation, so alternative verbs are sent without it.
        const answer = isAlternativeVerb(place.operation)
          ? await world.send(method, path, body, contentType ?? undefined)
          : await world.sendBySdk(place.operation, exampleCall(contract, place, given));
        const refusal = NEEDS_SET_UP[operationId];
        if (refusal !== undefined) return assert.equal((answer.body as { code?: string }).code, refusal);
        assert.ok(
          answer.status >= 200 && answer.status < 300,
          `${method} ${path} ${body}\n${JSON.stringify(answer.body)}`,
        );
        assert.ok(
          failuresIn(answer.body) <= failuresIn(documentedAnswer(place)),
          `more fails than is documented: ${JSON.stringify(answer.body)}`,
        );
        if (isChange(place))
          await until(async () => (await world.newestChange()) > known, `an entry of ${operationId}`, 4_000);
        checkResponse(method, path, answer.status, answer.body);
      });
    }
  });
