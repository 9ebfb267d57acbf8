import { table } from './output.ts';
import type { CommandGroup, Option, Verb } from './command.ts';

const PROGRAM = 'npm run cli --';
const COMMON: [string, string][] = [
  ['--json', 'Print JSON.'],
  ['-h, --help', 'Show this help.'],
];
const EXIT_CODES = 'Exit codes: 0 done, 1 failed, 2 wrong usage.';

export function overviewHelp(groups: readonly CommandGroup[]): string {
  return sections(
    `Usage: ${PROGRAM} <command> <verb> [options]`,
    `Commands:\n${table(
      groups.map(({ name, summary }) => [`  ${name}`, summary]),
      null,
    )}`,
    `Each has its own --help, e.g. ${PROGRAM} ${groups[0]?.name} --help`,
    EXIT_CODES,
  );
}

export function groupHelp(group: CommandGroup): string {
  const verbs = Object.entries(group.verbs);
  return sections(
    `Usage: ${PROGRAM} ${group.name} <verb> [options]`,
    group.summary,
    `Verbs:\n${table(
      verbs.map(([name, { summary }]) => [`  ${name}`, summary]),
      null,
    )}`,
    examples(...verbs.map(([, { example }]) => example)),
    EXIT_CODES,
  );
}

export function verbHelp(group: CommandGroup, verbName: string, verb: Verb): string {
  const options = Object.entries(verb.options).map(([name, option]) => [spelling(name, option), describe(option)]);
  const subject = verb.subject ? ` <${verb.subject}>` : '';
  return sections(
    `Usage: ${PROGRAM} ${group.name} ${verbName}${subject} [options]`,
    verb.summary,
    `Options:\n${table(
      [...options, ...COMMON].map(([name, description]) => [`  ${name}`, description ?? '']),
      null,
    )}`,
    ...(verb.subject ? [`--${verb.subject} may be left out before its value when that comes first.`] : []),
    examples(verb.example),
    EXIT_CODES,
  );
}

const spelling = (name: string, { value }: Option): string => (value ? `--${name} <${value}>` : `--${name}`);

const describe = ({ description, required, choices }: Option): string =>
  [description, ...(choices ? [`One of ${choices.join(', ')}.`] : []), ...(required ? ['Required.'] : [])].join(' ');

const examples = (...lines: string[]): string =>
  ['Examples:', ...lines.map((line) => `  ${PROGRAM} ${line}`)].join('\n');

const sections = (...parts: string[]): string => `${parts.join('\n\n')}\n`;
