import { Argument, Command, type CommanderError, Option as NamedOption } from 'commander';
import { UsageError, type CommandGroup, type Option, type OptionValues, type Verb } from './command.ts';

const PROGRAM = 'npm run cli --';
const WIDTH = 120;

export interface ParsedCommand {
  group: CommandGroup;
  verb: Verb;
  values: OptionValues;
  json: boolean;
}

export interface ProgramDeps {
  groups: readonly CommandGroup[];
  perform: (call: ParsedCommand) => Promise<void>;
  out: (text: string) => void;
  columns?: number | undefined;
}

export function createProgram({ groups, perform, out, columns = WIDTH }: ProgramDeps): Command {
  const program = new Command(PROGRAM)
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: () => undefined, getOutHelpWidth: () => columns })
    .configureHelp({ showGlobalOptions: true })
    .helpOption('-h, --help', 'Show this help.')
    .helpCommand(false)
    .option('--json', 'Print JSON.')
    .addHelpText('afterAll', '\nExit codes: 0 success, 1 failure, 2 wrong usage.')
    .allowExcessArguments()
    .action(throwMissingVerb('Name a command.', ''));
  for (const group of groups) {
    const verbs = Object.entries(group.verbs);
    const command = program
      .command(group.name)
      .description(group.summary)
      .addHelpText('after', formatExamples(verbs.map(([, { example }]) => example)))
      .action(throwMissingVerb(`Name a command for ${group.name}.`, `${group.name} `));
    for (const [name, verb] of verbs) addVerb(command.command(name), group, verb, perform);
  }
  return program;
}

export function toUsageError(error: CommanderError): UsageError | undefined {
  if (error.exitCode === 0) return undefined;
  const [fault = '', hint = ''] = error.message.replace(/^error: /, '').split('\n');
  return new UsageError(`${fault.charAt(0).toUpperCase()}${fault.slice(1)}. ${hint.replace(/[()]/g, '')}`.trimEnd());
}

const throwMissingVerb =
  (message: string, before: string) =>
  (_values: OptionValues, { args: [name] }: Command): void => {
    throw new UsageError(name === undefined ? message : `There is no command ${before}${name}.`);
  };

function addVerb(command: Command, group: CommandGroup, verb: Verb, perform: ProgramDeps['perform']): void {
  command.description(verb.summary).addHelpText('after', formatExamples([verb.example]));
  for (const [name, option] of Object.entries(verb.options)) command.addOption(namedOption(name, option));
  const { subject } = verb;
  const option = subject === undefined ? undefined : verb.options[subject];
  if (subject !== undefined && option)
    command.addArgument(
      new Argument(`[${subject}]`, `Alternative to --${subject}.`).argParser(checked(subject, option)),
    );
  command.action(() => {
    const values: OptionValues = { ...command.opts<OptionValues>() };
    const [first, ...others] = command.args;
    if (first !== undefined) {
      if (subject === undefined || values[subject] !== undefined || others.length > 0)
        throw new UsageError(`${command.args.at(-1)} is an unexpected argument.`);
      values[subject] = command.processedArgs[0] as string;
    }
    for (const [name, { required }] of Object.entries(verb.options))
      if (required && values[name] === undefined) throw missingOptionError(name);
    return perform({ group, verb, values, json: command.optsWithGlobals<OptionValues>()['json'] === true });
  });
}

function namedOption(name: string, option: Option): NamedOption {
  const { value, description, required = false, choices } = option;
  const shown = required ? `${description} Required.` : description;
  if (value === undefined) return new NamedOption(`--${name}`, shown);
  const named = new NamedOption(`--${name} <${value}>`, shown);
  return (choices ? named.choices(choices) : named).argParser(checked(name, option));
}

const checked =
  (name: string, { required, choices }: Option) =>
  (value: string): string => {
    // If the value of an option is missing, the parser uses the next option as the value.
    if (value.startsWith('--') || (required && value === '')) throw missingOptionError(name);
    if (choices && !choices.includes(value)) throw new UsageError(`--${name} must be one of ${choices.join(', ')}.`);
    return value;
  };

const missingOptionError = (name: string): UsageError => new UsageError(`--${name} is missing.`);

const formatExamples = (lines: readonly string[]): string =>
  ['\nExamples:', ...lines.map((line) => `  ${PROGRAM} ${line}`)].join('\n');
