/** A failed test reads as a sentence that is not true. */
const MESSAGE = 'A title says when …, then …: "when the key is disabled, then its calls are refused".';

/** True for `it(…)`, `it.only(…)` and similar calls. */
const names = (callee) => callee.name === 'it' || callee.object?.name === 'it';

function isSentence(title) {
  if (title?.type === 'Literal') return /^when .+, then /.test(title.value);
  if (title?.type !== 'TemplateLiteral') return false;
  const texts = title.quasis.map(({ value }) => value.raw);
  return /^when /.test(texts[0]) && texts.some((text) => /, then /.test(text));
}

const sentences = {
  create: (context) => ({
    CallExpression({ callee, arguments: [title], ...call }) {
      if (names(callee) && !isSentence(title)) context.report({ node: title ?? call, message: MESSAGE });
    },
  }),
};

export default { meta: { name: 'titles' }, rules: { sentences } };
