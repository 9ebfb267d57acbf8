import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface UnansweringServer {
  port: number;
  url: string;
  close: () => Promise<void>;
}

const LISTEN = `
  const server = require('node:net').createServer();
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => console.log(server.address().port));
`;
/** What the system lets wait of a backlog of one. */
const PLACES = 2;

/**
 * A listener whose process stands still while the queue of its connections is full: the system lets whoever comes then
 * wait without an answer, as a server does that is overrun or lies behind a silent firewall.
 */
export async function startUnansweringServer(): Promise<UnansweringServer> {
  const child = spawn(process.execPath, ['-e', LISTEN], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(line.toString('utf8'));
  child.kill('SIGSTOP');
  const waiting: Socket[] = [];
  for (let place = 0; place < PLACES; place++) {
    const socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    waiting.push(socket);
  }
  return {
    port,
    url: `https://127.0.0.1:${port}/`,
    close: async () => {
      for (const socket of waiting) socket.destroy();
      child.kill('SIGKILL');
      await exited;
    },
  };
}
