import type { Tool } from '@modelcontextprotocol/server';
import { patternError } from '../../shared/pattern-errors.ts';

type Arguments = Record<string, unknown>;

interface PropertySchema {
  type?: string;
  enum?: unknown[];
  pattern?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

/** Checks the arguments of built-in tools. The contract validates the input of operations. */
export function findArgumentError({ inputSchema }: Tool, values: Arguments): string | null {
  const { properties = {}, required = [] } = inputSchema;
  const missing = required.find((name) => values[name] === undefined);
  if (missing !== undefined) return `${missing} is missing.`;
  for (const [name, value] of Object.entries(values)) {
    const property = properties[name] as PropertySchema | undefined;
    if (!property)
      return `${name} is not an argument of this tool. Its arguments are ${Object.keys(properties).join(', ')}.`;
    const fault = findValueError(value, property);
    if (fault) return `${name} ${fault}.`;
  }
  return null;
}

function findValueError(
  value: unknown,
  { type = '', enum: words, pattern, maxLength, minimum = 0, maximum = 0 }: PropertySchema,
): string | null {
  switch (type) {
    case 'string':
      if (typeof value !== 'string') return 'must be a string';
      if (maxLength !== undefined && value.length > maxLength) return `must have at most ${maxLength} characters`;
      if (pattern !== undefined && !new RegExp(pattern).test(value)) return patternError(pattern);
      return words && !words.includes(value) ? `must be one of ${words.join(', ')}` : null;
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'integer':
      return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum
        ? null
        : `must be a whole number from ${minimum} to ${maximum}`;
    default:
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'must be an object';
  }
}
