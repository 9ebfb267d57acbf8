import { open, readFile, stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { feedFault, type FeedKind } from './feed.ts';
import { parseFields } from './feed-values.ts';

export interface KeyedFeedValue {
  key: string;
  value: unknown;
}

/** Maximum size of a record in bytes. The largest known records have tens of kilobytes. */
const MAX_RECORD = 8 * 1024 * 1024;

/** Emits whole values and buffers only a few, so that a feed needs the memory of a few records. */
const OPTIONS = { streamValues: false, packValues: true, readableHighWaterMark: 4 } as const;

export async function* streamFeedRecords(
  files: readonly string[],
  kind: FeedKind,
  signal: AbortSignal,
): AsyncGenerator<KeyedFeedValue, void> {
  for (const file of files) {
    signal.throwIfAborted();
    yield* streamRecordsOfFile(file, kind, signal);
  }
}

/**
 * A Wordfence feed is an object of records. An OSV feed is a list of records, one record, or an object with a list in
 * `vulns` or `vulnerabilities`.
 */
async function* streamRecordsOfFile(
  path: string,
  kind: FeedKind,
  signal: AbortSignal,
): AsyncGenerator<KeyedFeedValue, void> {
  const sign = await firstCharacter(path);
  if (kind === 'wordfence') {
    if (sign !== '{') throw feedFault('The feed is not a JSON object.');
    return yield* streamJsonRecords(path, '{', signal);
  }
  if (sign === '[') return yield* streamJsonRecords(path, '[', signal);
  if (sign !== '{') throw feedFault('The feed is neither a JSON object nor a list.');
  const whole = parseFields(await parseJsonFile(path));
  const list = whole['vulns'] ?? whole['vulnerabilities'];
  for (const value of Array.isArray(list) ? (list as unknown[]) : [whole]) yield { key: '', value };
}

async function firstCharacter(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    return buffer.toString('utf8', 0, bytesRead).trimStart().slice(0, 1);
  } finally {
    await file.close();
  }
}

async function parseJsonFile(path: string): Promise<unknown> {
  const { size } = await stat(path);
  if (size > MAX_RECORD)
    throw feedFault('The feed is a single record of more than 8 MB. A long feed must be a JSON list.');
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch (error) {
    throw feedFault('The feed is not valid JSON, or it is incomplete.', error);
  }
}

async function* streamJsonRecords(
  path: string,
  form: '{' | '[',
  signal: AbortSignal,
): AsyncGenerator<KeyedFeedValue, void> {
  let sinceRecord = 0;
  const gauge = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sinceRecord += chunk.length;
      if (sinceRecord > MAX_RECORD) done(feedFault('A record of the feed is longer than 8 MB.'));
      else done(null, chunk);
    },
  });
  // Imported for the first feed, because an import at the start would slow down every start.
  const { default: streamer } = await (form === '{'
    ? import('stream-json/streamers/stream-object.js')
    : import('stream-json/streamers/stream-array.js'));
  const records = streamer.withParserAsStream(OPTIONS);
  // The file is opened first. A stream that opens the file itself would emit the error of a removed file only after the
  // pipeline has ended.
  const file = await open(path);
  const flow = pipeline(file.createReadStream(), gauge, records, { signal });
  // The consumer of the records receives the error.
  flow.catch(() => undefined);
  try {
    for await (const { key, value } of records as AsyncIterable<{ key: string | number; value: unknown }>) {
      sinceRecord = 0;
      yield { key: String(key), value };
    }
    await flow;
  } catch (error) {
    signal.throwIfAborted();
    const isParser = error instanceof Error && error.message.startsWith('Parser ');
    throw isParser ? feedFault('The feed is not valid JSON, or it is incomplete.', error) : error;
  } finally {
    records.destroy();
  }
}
