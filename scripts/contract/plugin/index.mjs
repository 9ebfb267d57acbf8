/**
 * The Redocly plugin of the contract: decorators that complete the served documents, and the lint rules.
 *
 * Each decorator changes the bundled document in `Root.leave`, because earlier in the walk references still name files.
 * Redocly runs decorators in the order of this object, whatever the order in redocly.yaml.
 */
import { deprecations } from './decorators/deprecations.mjs';
import { errorCodes } from './decorators/error-codes.mjs';
import { examples } from './decorators/examples.mjs';
import { furtherVerbs } from './decorators/further-verbs.mjs';
import { rules } from './rules/index.mjs';

const onLeave = (change) => () => ({ Root: { leave: (root) => change(root) } });

export default () => ({
  id: 'sitefleet',
  decorators: {
    oas3: {
      examples: onLeave(examples),
      'error-codes': onLeave(errorCodes),
      'further-verbs': onLeave(furtherVerbs),
      deprecations: onLeave(deprecations),
    },
  },
  rules: { oas3: rules },
});
