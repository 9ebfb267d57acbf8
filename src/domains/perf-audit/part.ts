import { ALL_SITES } from '../../shared/site-scope.ts';
import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ClientsServices } from '../clients/index.ts';
import type { MailServices } from '../mail/index.ts';
import type { ModulesServices } from '../modules/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import type { SitesServices } from '../sites/index.ts';
import type { TagsServices } from '../tags/index.ts';
import { AuditError } from './audit.ts';
import { auditJob } from './audit.job.ts';
import { AuditRecorder } from './audit-recorder.ts';
import { AuditRepository } from './audit-repository.ts';
import { AuditRequester } from './audit-requester.ts';
import { AuditRun } from './audit-run.ts';
import { AuditService } from './audit-service.ts';
import { toAuditSettings, auditTiming, type AuditSettings } from './audit-settings.ts';
import { createLighthouseProvider } from './local-lighthouse.ts';
import { createPageSpeedProvider } from './pagespeed.ts';
import type { AuditProvider } from './audit-provider.ts';

interface PerfAuditPartDeps {
  clients: ClientsServices;
  mail: MailServices;
  modules: ModulesServices;
  settings: SettingsServices;
  sites: SitesServices;
  tags: TagsServices;
}

const MODULE = 'perf-audit';
const PRUNED_AT_A_TIME = 500;

export function perfAuditPart(
  platform: Platform,
  { clients, mail, modules, settings: own, sites, tags }: PerfAuditPartDeps,
) {
  const { clock, knex, outbound, queue } = platform;
  const group = () => own.settings.current('perf-audit');
  const settings = (): AuditSettings => toAuditSettings(group());
  const recorder = new AuditRecorder({ knex, clock, alerts: mail.alerts, settings });
  const run = new AuditRun({
    clock,
    outbound,
    links: sites.links,
    references: sites.references,
    recorder,
    settings,
    provider: () => chooseAuditProvider(platform, own, settings()),
  });
  const audit = auditJob(
    (call) => run.perform(call),
    () => settings().maxConcurrent,
  );
  const job = modules.modules.whileActive(MODULE, audit);
  const requests = new AuditRequester({ clock, queue, job, settings });
  const common = { knex, requests, targets: sites.targets, settings };
  return definePart({
    name: MODULE,
    deletionCounts: [
      { of: 'site', effect: 'monitors', table: 'perf_audits', column: 'site_id' },
      { of: 'site', effect: 'performance_audits', table: 'perf_audit_history', column: 'site_id' },
    ],
    own: { audits: new AuditService({ ...common, clients: clients.clients, tags: tags.tags }) },
    jobs: [job],
    schedules: [
      {
        name: 'performance-audits',
        module: MODULE,
        description: 'Audits the performance of all connected sites at the interval of the setting `frequency`.',
        timing: () => auditTiming(group(), own.settings.current('general').timezone_string),
        begin: async ({ scope, requestedBy }) => {
          const connected = await sites.list.within(scope.trx).all(ALL_SITES, { status: 'connected' });
          const request = { strategy: null, force: false, requestedBy };
          return (await requests.request(scope, connected, request)).jobId;
        },
      },
    ],
    retentions: [
      {
        name: 'performance-audits',
        prune: () => new AuditRepository(knex).pruneHistory(clock.now() - settings().retentionMs, PRUNED_AT_A_TIME),
      },
    ],
  });
}

async function chooseAuditProvider(
  { clock, config, deadlines, lighthouse, logger, outbound }: Platform,
  { settings: service }: SettingsServices,
  { provider, deadlineMs: inSettings, memoryBytes }: AuditSettings,
): Promise<AuditProvider> {
  const deadlineMs = deadlines.auditMs ?? inSettings;
  const apiKey = provider === 'lighthouse' ? null : await service.secret('perf-audit', 'api_key');
  if (apiKey !== null)
    return createPageSpeedProvider({ outbound, clock, address: config.audits.pagespeedUrl, apiKey, deadlineMs });
  const isLocal = provider === 'lighthouse' || (provider === 'auto' && (await lighthouse.isInstalled()));
  if (isLocal) return createLighthouseProvider({ engine: lighthouse, deadlineMs, memoryBytes, logger });
  throw new AuditError('missing_api_key', MISSING_KEY[provider]);
}

const MISSING_KEY = {
  pagespeed: 'The PageSpeed Insights API requires a key. Set `api_key`.',
  auto:
    'An audit requires a key of the PageSpeed Insights API (`api_key`) or Chromium on the server of this service ' +
    '(Debian: apt install chromium; or set CHROME_PATH).',
  lighthouse: '',
} as const;

export type PerfAuditServices = OwnOf<typeof perfAuditPart>;
