type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * True if a successful response reports a failure: it has `errors`, a checked site does not respond or cannot fetch
 * packages, or an item of a batch has an `error`. If `isRead` is true, the call changes nothing, and only `errors`
 * counts, because the records that it returns can have fields with the other names.
 */
export function hasFailures(answer: unknown, isRead: boolean): boolean {
  if (!isObject(answer)) return false;
  const { errors } = answer;
  if (Array.isArray(errors) && errors.length > 0) return true;
  return !isRead && (hasUnreachableSite(answer) || cannotFetchPackages(answer) || hasFailedItem(answer));
}

/**
 * True if a checked site did not respond. For such a site, abilities return `reachable: false`, and REST v2 returns
 * `status: 0`. Both can return one site or several.
 */
function hasUnreachableSite({ reachable, results, data }: Fields): boolean {
  if (reachable === false) return true;
  if (Array.isArray(results)) return results.some((each) => isObject(each) && each['reachable'] === false);
  return isObject(data) && [data, ...Object.values(data)].some((each) => isObject(each) && each['status'] === 0);
}

const cannotFetchPackages = ({ data }: Fields): boolean => isObject(data) && data['can_fetch'] === false;

/**
 * True if an item of a batch has an `error`. The response has a list of items for each kind of change, such as
 * `create`. A batch of several kinds of records has an object with such lists for each kind of record.
 */
function hasFailedItem(lists: Fields): boolean {
  return Object.values(lists).some((value) =>
    Array.isArray(value)
      ? value.some((item) => isObject(item) && isObject(item['error']) && typeof item['error']['code'] === 'string')
      : isObject(value) && hasFailedItem(value),
  );
}
