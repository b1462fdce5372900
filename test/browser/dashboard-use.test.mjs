// Every page of the dashboard, used by a person while agents work, and what the hub says of it afterwards.
// Each part can be run alone: node --test use/handoffs.mjs

import './use/conversations.mjs';
import './use/handoffs.mjs';
import './use/overview.mjs';
import './use/graph.mjs';
import './use/lists.mjs';
import './use/agents.mjs';
import './use/settings.mjs';
import './use/door.mjs';
import './use/ways.mjs';
