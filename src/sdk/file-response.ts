/** Returns the response with a body that calls `ended` when it has ended, has failed or is cancelled. */
export function onBodyEnd(response: Response, ended: () => void): Response {
  if (!response.body) {
    ended();
    return response;
  }
  // The body is read through `response`, because Node cancels the body of a response that has been collected.
  const source = (): ReadableStream<Uint8Array> => response.body as ReadableStream<Uint8Array>;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          reader ??= source().getReader();
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
          ended();
        } catch (error) {
          ended();
          throw error;
        }
      },
      cancel(reason) {
        ended();
        return (reader ?? source()).cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return Object.defineProperty(new Response(body, response), 'url', { value: response.url });
}
