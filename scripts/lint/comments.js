/** The limit for a line of code, too. */
const WIDTH = 120;
const MESSAGE = `A comment ends at ${WIDTH} columns; wrap it.`;

const width = {
  create: (context) => ({
    Program() {
      const { sourceCode } = context;
      for (const { loc } of sourceCode.getAllComments())
        for (let line = loc.start.line; line <= loc.end.line; line += 1) {
          const { length } = sourceCode.lines[line - 1];
          const end = line === loc.end.line ? loc.end.column : length;
          if (end > WIDTH)
            context.report({ loc: { start: { line, column: WIDTH }, end: { line, column: end } }, message: MESSAGE });
        }
    },
  }),
};

export default { meta: { name: 'comments' }, rules: { width } };
