import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ErrorBody } from './error-help.ts';
import type { OutputChunkWithCursor } from './long-outputs.ts';
import {
  markAsUntrustedData,
  toSafeJsonText,
  UNTRUSTED_DATA_NOTICE,
  withVisibleCharacters,
} from './untrusted-data-marking.ts';

type Fields = Record<string, unknown>;

/** Returns a text that the service itself wrote. It contains no text from sites, so it is not marked as untrusted. */
export const ownResult = (text: string, structuredContent: Fields): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent,
});

export interface ResultNotes {
  fields?: Fields;
  notes?: readonly string[];
  isError?: boolean;
  links?: CallToolResult['content'];
}

export function pageResult(page: OutputChunkWithCursor, { fields, notes = [], isError, links }: ResultNotes = {}) {
  const more = partNoteOf(page);
  const all = [...(more === null ? [] : [more]), ...notes];
  const result: CallToolResult = {
    content: [
      { type: 'text', text: markAsUntrustedData(page.text) },
      ...(all.length > 0 ? [{ type: 'text' as const, text: all.join('\n') }] : []),
      ...(links ?? []),
    ],
    structuredContent: {
      ...fields,
      notice: UNTRUSTED_DATA_NOTICE,
      untrusted_data: withVisibleCharacters(page.value),
      ...(page.range !== null && { part: page.range }),
      ...(page.cursor !== null && { cursor: page.cursor }),
      ...(all.length > 0 && { notes: all }),
    },
  };
  return isError === undefined ? result : { ...result, isError };
}

function partNoteOf({ range, isLast, cursor }: OutputChunkWithCursor): string | null {
  if (cursor !== null)
    return `This output contains ${range}. To get the next part, call continue_output with cursor "${cursor}".`;
  if (!isLast) return `This output contains ${range}. The rest is too long to be stored. Request less data per call.`;
  return range === null ? null : `This output contains ${range}. This is the last part.`;
}

/** Returns an error as the result of a tool. It is marked as untrusted, because the message may be from a site. */
export function errorResult({ code, message, data }: ErrorBody, help: string, fields: Fields = {}): CallToolResult {
  const error = { code, message, ...(data && { data }), help };
  return {
    isError: true,
    content: [{ type: 'text', text: markAsUntrustedData(toSafeJsonText(error)) }],
    structuredContent: { ...fields, notice: UNTRUSTED_DATA_NOTICE, untrusted_data: withVisibleCharacters(error) },
  };
}

export const invalidArguments = (message: string): CallToolResult =>
  errorResult({ code: 'ability_invalid_input', message }, 'Correct the arguments.');

export const unknownOperation = (id: string): CallToolResult =>
  errorResult(
    { code: 'rest_ability_not_found', message: `There is no operation ${id} for this credential.` },
    'Use find_operations to search for operations.',
  );
