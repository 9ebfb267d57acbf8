/** Participles that do not say what they describe. CONTRIBUTING bans them as names. */
const BANNED = new Set(['found', 'given', 'refused', 'told']);

/** Returns the names that a pattern declares: `a`, `{ b, c: d = 1 }`, `[e, ...f]`. */
function namesIn(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern];
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    case 'ArrayPattern':
      return pattern.elements.flatMap(namesIn);
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => namesIn(property.value ?? property));
    default:
      return [];
  }
}

const participles = {
  create(context) {
    const check = (...patterns) => {
      for (const node of patterns.flatMap(namesIn))
        if (BANNED.has(node.name))
          context.report({ node, message: `A name is a noun that says of what: not "${node.name}" alone.` });
    };
    const checkFunction = ({ id, params }) => check(id, ...params);
    return {
      VariableDeclarator: ({ id }) => check(id),
      FunctionDeclaration: checkFunction,
      FunctionExpression: checkFunction,
      ArrowFunctionExpression: checkFunction,
      TSFunctionType: checkFunction,
      TSMethodSignature: checkFunction,
      CatchClause: ({ param }) => check(param),
    };
  },
};

export default { meta: { name: 'names' }, rules: { participles } };
