import type { Command as Commander } from 'commander';
import { OPERATIONS } from '../../sdk/index.ts';
import { bashScript, fishScript, type CompletedCommand } from '../completion-scripts.ts';
import { UsageError } from '../exit-codes.ts';
import type { AddCommand } from '../options.ts';

const ZSH_HEAD = 'autoload -U +X bashcompinit && bashcompinit\n';
const SCRIPTS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: (commands) => ZSH_HEAD + bashScript(commands),
  fish: fishScript,
};
const SHELLS = Object.keys(SCRIPTS);

export function completionCommand(program: Commander, add: AddCommand): void {
  const description = 'print a completion script for bash, zsh or fish';
  add(program, 'completion <shell>', description, async (command, [shell = '']) => {
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (!script) throw new UsageError(`The shell must be one of: ${SHELLS.join(', ')}.`);
    command.environment.out.write(script(completedCommands(program)));
    return Promise.resolve();
  }).addHelpText(
    'after',
    `
  bash and zsh: source <(sitefleet completion bash)      # or zsh
  fish:         sitefleet completion fish | source`,
  );
}

function completedCommands(program: Commander): CompletedCommand[] {
  const collect = (command: Commander, path: readonly string[]): CompletedCommand[] => [
    {
      path,
      commands: command.commands.map((each) => ({ name: each.name(), description: each.description() })),
      options: [
        ...command.options.map(({ long, description, required }) => ({
          flag: long ?? '',
          description,
          takesValue: required,
          takesFile: required && FILE_OPTIONS.has(long ?? ''),
        })),
        { flag: '--help', description: 'display help for command', takesValue: false, takesFile: false },
      ],
      words: argumentsOf(path),
    },
    ...command.commands.flatMap((each) => collect(each, [...path, each.name()])),
  ];
  return collect(program, []);
}

const FILE_OPTIONS = new Set(['--output', '--json-input', '--junit', '--against']);

function argumentsOf([name]: readonly string[]): string[] {
  if (name === 'call') return OPERATIONS.map(({ id }) => id);
  return name === 'completion' ? SHELLS : [];
}
