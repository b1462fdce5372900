package serve

import (
	"testing"

	"nexus"
)

// TestMeanings walks all codes: whoever adds one decides what it means on each
// face.
func TestMeanings(t *testing.T) {
	want := map[nexus.Code]meaning{
		"":                        {200, 0, 0},
		nexus.WorkspaceRequired:   {422, -32602, 1},
		nexus.WorkspaceUnresolved: {422, -32602, 1},
		nexus.WorkspaceMismatch:   {422, -32602, 1},
		nexus.ValidationError:     {422, -32602, 1},
		nexus.InvalidStream:       {422, -32602, 1},
		nexus.ConfigError:         {422, -32602, 1},
		nexus.InvalidParam:        {422, -32602, 1},
		nexus.InvalidSetting:      {422, -32602, 1},
		nexus.InvalidWindow:       {422, -32602, 1},
		nexus.ContentTooLarge:     {413, -32602, 1},
		nexus.NotFound:            {404, -32000, 3},
		nexus.Migrated:            {410, -32000, 1},
		nexus.InvalidTransition:   {409, -32000, 4},
		nexus.AlreadyClaimed:      {409, -32000, 4},
		nexus.Conflict:            {409, -32000, 4},
		nexus.LeaseLost:           {409, -32000, 4},
		nexus.AuthFailed:          {401, -32600, 5},
		nexus.CrossOriginBlocked:  {403, -32600, 5},
		nexus.NotOwner:            {403, -32000, 5},
		nexus.NotEligible:         {403, -32000, 5},
		nexus.PermissionDenied:    {403, -32000, 5},
		nexus.PathOutside:         {403, -32000, 5},
		nexus.RateLimited:         {429, -32000, 6},
		nexus.DBError:             {503, -32000, 6},
		nexus.Unavailable:         {503, -32000, 6},
		nexus.MigrationError:      {503, -32000, 1},
		nexus.Internal:            {500, -32603, 1},
		nexus.RenderError:         {500, -32603, 1},
		nexus.TopicNotFound:       {404, -32000, 3},
		nexus.TopicClosed:         {409, -32000, 4},
		nexus.AgentNameInUse:      {409, -32000, 4},
		nexus.AgentNotJoined:      {403, -32000, 5},
		nexus.InvalidArgument:     {422, -32602, 1},
		nexus.DBBusy:              {503, -32000, 6},
		nexus.SchemaMismatch:      {503, -32000, 1},
	}
	for _, code := range append(nexus.Codes(), "") {
		w, decided := want[code]
		if !decided {
			t.Errorf("nobody has decided what %s means", code)
		}
		if got := (meaning{httpStatus(code), rpcCode(code), ExitStatus(code)}); got != w {
			t.Errorf("%s means %v, want %v", code, got, w)
		}
	}
	if got := httpStatus("NO_SUCH_CODE"); got != 500 {
		t.Errorf("an unlisted code is %d", got)
	}
}
