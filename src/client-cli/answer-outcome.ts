type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * True if a successful response says that something did not succeed: it has `errors`, a checked site does not respond
 * or cannot fetch packages, or an item of a batch has an `error`. `isRead` is true for a call that changes nothing: its
 * records can have such fields of their own.
 */
export function hasFailures(answer: unknown, isRead: boolean): boolean {
  if (!isObject(answer)) return false;
  const { errors } = answer;
  if (Array.isArray(errors) && errors.length > 0) return true;
  return !isRead && (hasUnreachableSite(answer) || cannotFetchPackages(answer) || hasFailedItem(answer));
}

/** Abilities return `reachable`, REST v2 the status 0, both for one site or for several. */
function hasUnreachableSite({ reachable, results, data }: Fields): boolean {
  if (reachable === false) return true;
  if (Array.isArray(results)) return results.some((each) => isObject(each) && each['reachable'] === false);
  return isObject(data) && [data, ...Object.values(data)].some((each) => isObject(each) && each['status'] === 0);
}

const cannotFetchPackages = ({ data }: Fields): boolean => isObject(data) && data['can_fetch'] === false;

/** A batch returns lists of items by kind of change, and these by kind of record. */
function hasFailedItem(lists: Fields): boolean {
  return Object.values(lists).some((value) =>
    Array.isArray(value)
      ? value.some((item) => isObject(item) && isObject(item['error']) && typeof item['error']['code'] === 'string')
      : isObject(value) && hasFailedItem(value),
  );
}
