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
/** Number of connections that Linux queues for a backlog of one. */
const PLACES = 2;

/**
 * Starts a listener whose process is stopped and whose queue is full. Linux lets further connections wait without an
 * answer, as an overloaded server or a silent firewall does.
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
