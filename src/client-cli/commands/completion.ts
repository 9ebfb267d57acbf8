import type { Command as Commander } from 'commander';
import { OPERATIONS } from '../../sdk/index.ts';
import { UsageError } from '../exit-codes.ts';
import type { AddCommand } from '../options.ts';

export function completionCommand(program: Commander, add: AddCommand): void {
  add(program, 'completion <shell>', 'print a completion script for bash or zsh', async (command, [shell]) => {
    if (shell !== 'bash' && shell !== 'zsh') throw new UsageError('The shell must be bash or zsh.');
    const script = bashScript(program);
    command.environment.out.write(shell === 'bash' ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`);
    return Promise.resolve();
  }).addHelpText('after', '\n  source <(sitefleet completion bash)');
}

function bashScript(program: Commander): string {
  const groups = program.commands.filter(({ commands }) => commands.length > 0);
  const cases = groups.map(
    (group) => `    ${group.name()}) words="${group.commands.map((each) => each.name()).join(' ')}" ;;`,
  );
  return `_sitefleet() {
  local words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="${program.commands.map((each) => each.name()).join(' ')}"
  elif [ "$COMP_CWORD" -eq 2 ]; then case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    call) words="${OPERATIONS.map(({ id }) => id).join(' ')}" ;;
    completion) words="bash zsh" ;;
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _sitefleet sitefleet
`;
}
