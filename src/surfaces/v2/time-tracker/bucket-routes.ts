import type { BucketRecord } from '../../../domains/time-tracker/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { dropEmptyFilters, undefinedIfAny } from '../query-helpers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { recordEtagOf, revisionPrecondition } from './etags.ts';
import { bucketPatchOf, newBucketOf } from './input.ts';
import { bucketView } from './view.ts';

export function bucketRoutes(
  { timeTracker: { buckets }, clients: { clients } }: RequiredServices<'timeTracker' | 'clients'>,
  base: string,
) {
  const written = (did: string, bucket: BucketRecord) => {
    const data = bucketView(bucket);
    const message = `The bucket was ${did}.`;
    return { status: 200 as const, etag: recordEtagOf(data, bucket), body: { success: 1 as const, message, data } };
  };
  return {
    time_tracker_buckets_list: async ({ query, caller }) => {
      const { client_id: clientId, search } = query;
      const [status, recurrence] = [undefinedIfAny(query.status), undefinedIfAny(query.recurrence)];
      const page = await buckets.list(
        caller.sites,
        dropEmptyFilters({ clientId, status, recurrence, search }),
        pageRequestOf(query),
      );
      return pageResponse(page, bucketView, `${base}/buckets`, query);
    },
    time_tracker_clients_buckets: async ({ path, query, caller }) => {
      const { id: clientId } = await clients.find(caller.sites, path.id_or_email);
      const [status, recurrence] = [undefinedIfAny(query.status), undefinedIfAny(query.recurrence)];
      const filter = dropEmptyFilters({ clientId, status, recurrence, search: query.search });
      return pageResponse(
        await buckets.list(caller.sites, filter, pageRequestOf(query)),
        bucketView,
        `${base}/clients/${clientId}/buckets`,
        query,
      );
    },
    time_tracker_buckets_get: async ({ path, caller }) => {
      const bucket = await buckets.get(caller.sites, path.bucket_id);
      const data = bucketView(bucket);
      return { status: 200, etag: recordEtagOf(data, bucket), body: { success: 1, data } };
    },
    time_tracker_buckets_add: async ({ body, caller }) =>
      written('added', await buckets.create(caller.sites, newBucketOf(body), caller.name)),
    time_tracker_buckets_edit: async ({ path, body, caller, ifMatch }) =>
      written(
        'saved',
        await buckets.update(
          caller.sites,
          path.bucket_id,
          bucketPatchOf(body),
          caller.name,
          revisionPrecondition(ifMatch),
        ),
      ),
    time_tracker_buckets_delete: async ({ path, caller, ifMatch }) =>
      written(
        'deleted',
        await buckets.delete(caller.sites, path.bucket_id, caller.name, revisionPrecondition(ifMatch)),
      ),
  } satisfies Partial<HandlersOf<'time-tracker'>>;
}
