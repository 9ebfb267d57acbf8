import { cpSync } from 'node:fs';

// The compiler copies no other languages. The service reads this file beside its own.
const TEMPLATE = 'src/domains/guard-files/guard-file.php';

cpSync(TEMPLATE, `dist/${TEMPLATE}`);
