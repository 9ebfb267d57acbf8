export interface CompletedCommand {
  /** Words after `sitefleet`. Empty for the program itself. */
  path: readonly string[];
  commands: readonly { name: string; description: string }[];
  options: readonly { flag: string; description: string; takesValue: boolean; takesFile: boolean }[];
  /** Values that the shell suggests for the first argument. */
  words: readonly string[];
}

const keyOf = (path: readonly string[]): string => path.join(' ');

/**
 * Returns patterns for the shell statement `case "<command path>/<next word>"`. They match if the next word is a
 * subcommand.
 */
const commandPatterns = (commands: readonly CompletedCommand[], quote: string): string[] =>
  commands.flatMap((command) => command.commands.map(({ name }) => `${quote}${keyOf(command.path)}/${name}${quote}`));

/** The script also runs in zsh with `bashcompinit`. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const files = new Set(
    commands.flatMap(({ options }) => options.flatMap(({ flag, takesFile }) => (takesFile ? [flag] : []))),
  );
  const cases = commands.map(({ path, commands: below, options, words }) => {
    const first = [...below.map(({ name }) => name), ...words].join(' ');
    return `    "${keyOf(path)}") words="${first}"; options="${options.map(({ flag }) => flag).join(' ')}" ;;`;
  });
  return `_sitefleet() {
  local path="" words="" options="" word current="\${COMP_WORDS[COMP_CWORD]}" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$path/$word" in
    ${commandPatterns(commands, '"').join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${[...files].join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "$current" in
    -*) words="$options" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _sitefleet sitefleet
`;
}

export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, commands: below, options, words }) => {
    const start = `complete -c sitefleet -n "__sitefleet_at '${keyOf(path)}'"`;
    return [
      ...below.map(({ name, description }) => `${start} -a ${name} -d ${quoted(description)}`),
      ...(words.length > 0 ? [`${start} -a ${quoted(words.join(' '))}`] : []),
      ...options.map(({ flag, description, takesValue, takesFile }) => {
        const value = takesFile ? ' -r -F' : takesValue ? ' -x' : '';
        return `${start} -l ${flag.slice(2)}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  return `function __sitefleet_at
  set -l path ''
  for word in (commandline -opc)[2..-1]
    switch "$path/$word"
      case ${commandPatterns(commands, "'").join(' ')}
        set path (string trim "$path $word")
    end
  end
  test "$path" = "$argv[1]"
end
complete -c sitefleet -f
${lines.join('\n')}
`;
}

const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
