// Runs the application with node:http alone.
import { createApplication } from './application.mjs';
import { createApplicationServer } from './server.mjs';
import { port, settings } from './settings.mjs';

const server = createApplicationServer(createApplication(settings));
server.listen(port, '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${server.address().port}`);
});
