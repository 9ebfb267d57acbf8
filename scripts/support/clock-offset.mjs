/**
 * Loaded before the service, with `--import`: moves the clock of its process by `CLOCK_OFFSET_MS`. With
 * `CLOCK_STEP_MS`, each SIGUSR2 moves it by that much, ahead and back in turns.
 */
let offset = Number(process.env.CLOCK_OFFSET_MS ?? 0);
const realNow = Date.now;
Date.now = () => realNow() + offset;

let step = Number(process.env.CLOCK_STEP_MS ?? 0);
if (step !== 0)
  process.on('SIGUSR2', () => {
    offset += step;
    step = -step;
  });
