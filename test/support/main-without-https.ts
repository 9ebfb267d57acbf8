import { serve } from '../../src/service/serve.ts';

// The service with guard files on simulated sites, which have no https.
await serve({ allowHttpGuards: true });
