/** Loaded before the service, with `--import`: moves the clock of its process by `CLOCK_OFFSET_MS`. */
const offset = Number(process.env.CLOCK_OFFSET_MS ?? 0);
const realNow = Date.now;
Date.now = () => realNow() + offset;
