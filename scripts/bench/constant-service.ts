/** Runs the real contract and the production middleware with handlers that return a constant. */
import { ALL_SITES } from '../../src/shared/site-scope.ts';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../src/service/app.ts';
import { operationsOf } from '../../src/contract/index.ts';
import { HttpMetrics } from '../../src/http/metrics.ts';
import { HttpServer } from '../../src/http/server.ts';
import { ADMINISTRATOR, PERMISSION_NAMES } from '../../src/shared/permissions.ts';
import type { Caller } from '../../src/shared/caller.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { abilityErrorDialect } from '../../src/surfaces/abilities/errors.ts';
import { createDocuments } from '../../src/surfaces/documents.ts';
import { readContract } from '../../src/surfaces/generated-files.ts';
import { v2ErrorDialect } from '../../src/surfaces/v2/errors.ts';

const caller: Caller = {
  ...{ userId: 1, name: 'bench', role: ADMINISTRATOR, scope: 'read_write', credential: 'key:1', keyId: 1 },
  permissions: new Set(PERMISSION_NAMES),
  sites: ALL_SITES,
};
const CONSTANT = { filler: 'x'.repeat(1000) };

function surface(name: 'abilities' | 'v2') {
  const contract = readContract(name);
  const handlers = Object.fromEntries(
    operationsOf(contract).map(({ id, item }) => [
      id,
      item['x-ability'] ? async () => CONSTANT : async () => ({ status: 200, body: CONSTANT }),
    ]),
  );
  return { contract, dialect: name === 'abilities' ? abilityErrorDialect : v2ErrorDialect, handlers };
}

const logger = createLogger('info', { write: () => undefined });
const { app, warmUp } = createApp({
  surfaces: [surface('abilities'), surface('v2')],
  credentials: { byPassword: async () => caller, byKey: async () => caller, isStillAllowed: () => true },
  credentialLimits: { allowsAddress: () => true, callsPerMinute: () => null },
  usage: { record: () => undefined },
  modules: { isActive: async () => true },
  idempotencyStore: {
    claim: async () => ({ kind: 'mine', id: '' }),
    settle: async () => undefined,
    abandon: async () => undefined,
  },
  mcp: null,
  documents: createDocuments('http://127.0.0.1'),
  sharedReports: { open: () => Promise.resolve(null), policy: '' },
  openPackage: () => Promise.resolve(null),
  metrics: new HttpMetrics(),
  readiness: async () => ({ ready: true, reasons: {} }),
  logger,
  clock: systemClock,
  trustProxy: false,
  corsOrigins: [],
  loginFailureLimit: 20,
  rateLimit: 0,
  responseChecks: 'off',
  translation: null,
});
const http = new HttpServer(logger);
// The service does this, too, and the first requests are measured.
await warmUp();
http.serve(app);
http.server.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(http.server.address() as AddressInfo).port}` })),
);
