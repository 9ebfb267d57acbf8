import { throwFieldError } from '../../shared/field-errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Precondition } from '../../shared/precondition.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { withSettingOverrides } from '../settings/index.ts';
import { countSitesOutside, refuseSitesOutside } from '../sites/index.ts';
import type { BucketRecord } from './bucket.ts';
import { BucketReadModel } from './bucket-read-model.ts';
import {
  TrackedClientReadModel,
  type ClientTimeTotals,
  type TrackedClientFilter,
} from './tracked-client-read-model.ts';
import { ClientSettingsRepository } from './client-settings-repository.ts';
import type { TaskRecord } from './task-read-model.ts';
import {
  effectiveTrackerSettings,
  type ClientTrackerSettings,
  type TrackerSettingOverrides,
  type TrackerSettings,
} from './billing-terms.ts';
import type { TrackerUnitOfWork } from './tracker-unit-of-work.ts';

export interface TrackedClientDetail extends ClientTimeTotals {
  ownSettings: EffectiveClientSettings;
  tasks: TaskRecord[];
  openBuckets: BucketRecord[];
}

export interface EffectiveClientSettings extends ClientTrackerSettings {
  effective: TrackerSettings;
}

/** A null value in `own` removes the value of the client, so that the settings group `time-tracker` applies. */
export interface ClientSettingsPatch {
  overrides?: boolean;
  own?: { readonly [N in keyof TrackerSettings]?: TrackerSettings[N] | null };
  defaultBucketId?: number | null;
}

type ClientBrief = Pick<ClientTimeTotals, 'id' | 'name' | 'email'>;

const RECENT = 5;
const SHOWN_BUCKETS = 100;

export class TrackedClientService {
  readonly #tracker: TrackerUnitOfWork;

  constructor(tracker: TrackerUnitOfWork) {
    this.#tracker = tracker;
  }

  async list(scope: SiteScope, filter: TrackedClientFilter, request: PageRequest): Promise<Page<ClientTimeTotals>> {
    return new TrackedClientReadModel(this.#tracker.knex, await this.#tracker.moment()).list(scope, filter, request);
  }

  async get(scope: SiteScope, client: ClientBrief): Promise<TrackedClientDetail> {
    const { knex } = this.#tracker;
    const moment = await this.#tracker.moment();
    const [row] = await new TrackedClientReadModel(knex, moment).of(scope, [client]);
    const buckets = new BucketReadModel(knex, moment);
    const page = await buckets.list(scope, { clientId: client.id, isOpen: true }, { page: 1, perPage: SHOWN_BUCKETS });
    return {
      ...(row as ClientTimeTotals),
      ownSettings: await this.settings(scope, client),
      tasks: await (await this.#tracker.tasks()).recentOf(scope, client.id, RECENT),
      openBuckets: page.items,
    };
  }

  async settings(scope: SiteScope, { id }: Pick<ClientBrief, 'id'>): Promise<EffectiveClientSettings> {
    const { settings } = await this.#tracker.moment();
    const own = await new ClientSettingsRepository(this.#tracker.knex).of(scope, id);
    return { ...own, effective: effectiveTrackerSettings(settings, own) };
  }

  /**
   * Throws `svc_client_not_found`, `svc_bucket_not_found`, and `svc_outside_limits` if the client has sites outside the
   * scope. A default bucket outside the scope stays until another one replaces it.
   */
  async editSettings(
    scope: SiteScope,
    client: Pick<ClientBrief, 'id' | 'name'>,
    patch: ClientSettingsPatch,
    actor: string,
    precondition?: Precondition<{ revision: number }>,
  ): Promise<EffectiveClientSettings> {
    await this.#tracker.inTransaction(actor, async ({ trx, clientSettings: own, owners, buckets, settings, log }) => {
      await owners.lockClient(scope, client.id);
      refuseSitesOutside('client', await countSitesOutside(trx, scope, [client.id]));
      const stored = await own.of(ALL_SITES, client.id);
      const shown = isLimited(scope) ? await own.of(scope, client.id) : stored;
      precondition?.(stored);
      const { defaultBucketId = shown.defaultBucketId } = patch;
      const isOtherBucket = defaultBucketId !== shown.defaultBucketId;
      const wanted = {
        ...stored,
        overrides: patch.overrides ?? stored.overrides,
        own: mergeOwnSettings(stored.own, patch.own ?? {}),
        defaultBucketId: isOtherBucket ? defaultBucketId : stored.defaultBucketId,
      };
      withSettingOverrides('time-tracker', settings, wanted.own);
      if (isOtherBucket && defaultBucketId !== null) {
        await buckets.lock(scope, defaultBucketId);
        if (!(await buckets.isAssigned(defaultBucketId, client.id)))
          throwFieldError('defaultBucketId', 'must be a bucket that is assigned to the client');
      }
      if (JSON.stringify(wanted) === JSON.stringify(stored)) return;
      await own.put(wanted);
      await log(
        { id: client.id, title: client.name },
        'client.tracker-settings-edited',
        `Changed the tracker settings of the client ${client.name}.`,
        [loggedClientTrackerSettings(stored), loggedClientTrackerSettings(wanted)],
      );
    });
    return this.settings(scope, client);
  }
}

/** Sorts the keys, so that equal settings have the same JSON. */
function mergeOwnSettings(
  stored: TrackerSettingOverrides,
  patch: NonNullable<ClientSettingsPatch['own']>,
): TrackerSettingOverrides {
  const merged = Object.entries({ ...stored, ...patch }).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(merged.sort(([one], [other]) => (one < other ? -1 : 1)));
}

const loggedClientTrackerSettings = ({ overrides, own, defaultBucketId }: ClientTrackerSettings) => ({
  overrides,
  ...own,
  defaultBucketId,
});
