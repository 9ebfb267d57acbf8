import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError, type CommandGroup, type Values, type Verb } from './command.ts';

export interface Call {
  help: boolean;
  json: boolean;
  group: CommandGroup | null;
  verbName: string | null;
  verb: Verb | null;
  values: Values;
}

const HELP = { type: 'boolean', short: 'h' } as const;
const JSON_FLAG = { type: 'boolean' } as const;

/** Finds the command and checks its options. */
export function parseCall(argv: readonly string[], groups: readonly CommandGroup[]): Call {
  const [groupName, verbName] = argv;
  if (groupName === undefined || groupName.startsWith('-')) return withoutVerb(argv, null);
  const group = groups.find(({ name }) => name === groupName);
  if (!group) throw new UsageError(`There is no command ${groupName}.`);
  if (verbName === undefined || verbName.startsWith('-')) return withoutVerb(argv.slice(1), group);
  const verb = Object.hasOwn(group.verbs, verbName) ? group.verbs[verbName] : undefined;
  if (!verb) throw new UsageError(`There is no command ${groupName} ${verbName}.`);
  return { group, verbName, verb, ...parseVerb(argv.slice(2), verb) };
}

/** Only help can be asked of a command that does not say what to do. */
function withoutVerb(args: readonly string[], group: CommandGroup | null): Call {
  const { values } = parsed({ args: [...args], options: { help: HELP, json: JSON_FLAG } });
  if (values['help'] !== true) throw new UsageError(group ? `Say what to do with ${group.name}.` : 'Say what to do.');
  return { help: true, json: false, group, verbName: null, verb: null, values: {} };
}

function parseVerb(args: readonly string[], verb: Verb): Pick<Call, 'help' | 'json' | 'values'> {
  const options = Object.fromEntries(
    Object.entries(verb.options).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' } as const]),
  );
  const { values, positionals } = parsed({
    args: [...args],
    options: { ...options, help: HELP, json: JSON_FLAG },
    allowPositionals: true,
  });
  const help = values['help'] === true;
  if (!help) {
    takeSubject(values, positionals, verb);
    check(values, verb);
  }
  return { help, json: values['json'] === true, values };
}

function parsed(config: ParseArgsConfig): { values: Values; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs(config);
    return { values: values as Values, positionals };
  } catch (error) {
    // Its message names the option; the hints behind the first sentence are about parseArgs, not about us.
    throw new UsageError(`${(error as Error).message.split('. ')[0]?.replace(/\.$/, '')}.`);
  }
}

function takeSubject(values: Values, positionals: string[], verb: Verb): void {
  const [first, ...more] = positionals;
  if (first === undefined) return;
  if (verb.subject === undefined || values[verb.subject] !== undefined || more.length > 0)
    throw new UsageError(`${positionals.at(-1)} is one argument too many.`);
  values[verb.subject] = first;
}

function check(values: Values, verb: Verb): void {
  for (const [name, { required, choices }] of Object.entries(verb.options)) {
    const value = values[name];
    if (required && (value === undefined || value === '')) throw new UsageError(`--${name} is missing.`);
    if (choices && typeof value === 'string' && !choices.includes(value))
      throw new UsageError(`--${name} must be one of ${choices.join(', ')}.`);
  }
}
