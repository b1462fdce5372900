package serve

import (
	"net/http"

	"nexus"
)

// The exit statuses of the command line.
const (
	exitDone     = 0
	exitFailed   = 1
	exitNotFound = 3
	exitConflict = 4
	exitDenied   = 5
	exitBusy     = 6
)

// The JSON-RPC codes an operation's failure may have. What is not the caller's
// input is a server error; its data says which.
const (
	rpcServerError    = -32000
	rpcInvalidRequest = -32600
	rpcInvalidParams  = -32602
	rpcInternalError  = -32603
)

// A meaning is what one error code is on each face.
type meaning struct {
	http int
	rpc  int
	exit int
}

// meaningOf is the one table of codes. A code that is missing here counts as our
// own fault.
func meaningOf(code nexus.Code) meaning {
	switch code {
	case "":
		return meaning{http.StatusOK, 0, exitDone}
	case nexus.WorkspaceRequired, nexus.WorkspaceUnresolved, nexus.WorkspaceMismatch,
		nexus.ValidationError, nexus.InvalidStream, nexus.ConfigError,
		nexus.InvalidParam, nexus.InvalidSetting, nexus.InvalidWindow, nexus.InvalidArgument:
		return meaning{http.StatusUnprocessableEntity, rpcInvalidParams, exitFailed}
	case nexus.ContentTooLarge:
		return meaning{http.StatusRequestEntityTooLarge, rpcInvalidParams, exitFailed}
	case nexus.NotFound, nexus.TopicNotFound:
		return meaning{http.StatusNotFound, rpcServerError, exitNotFound}
	case nexus.Migrated:
		return meaning{http.StatusGone, rpcServerError, exitFailed}
	case nexus.InvalidTransition, nexus.AlreadyClaimed, nexus.Conflict, nexus.LeaseLost, nexus.TopicClosed, nexus.AgentNameInUse:
		return meaning{http.StatusConflict, rpcServerError, exitConflict}
	case nexus.AuthFailed:
		return meaning{http.StatusUnauthorized, rpcInvalidRequest, exitDenied}
	case nexus.CrossOriginBlocked:
		return meaning{http.StatusForbidden, rpcInvalidRequest, exitDenied}
	case nexus.NotOwner, nexus.NotEligible, nexus.PermissionDenied, nexus.PathOutside, nexus.AgentNotJoined:
		return meaning{http.StatusForbidden, rpcServerError, exitDenied}
	case nexus.RateLimited:
		return meaning{http.StatusTooManyRequests, rpcServerError, exitBusy}
	case nexus.DBError, nexus.DBBusy, nexus.Unavailable:
		return meaning{http.StatusServiceUnavailable, rpcServerError, exitBusy}
	case nexus.MigrationError, nexus.SchemaMismatch:
		return meaning{http.StatusServiceUnavailable, rpcServerError, exitFailed}
	default: // Internal, RenderError
		return meaning{http.StatusInternalServerError, rpcInternalError, exitFailed}
	}
}

func httpStatus(code nexus.Code) int { return meaningOf(code).http }

func rpcCode(code nexus.Code) int { return meaningOf(code).rpc }

// ExitStatus is the status with which a command ends that failed with this
// code, 0 for none. Wrong usage, time-outs and interrupts have no code: their
// statuses are the command line's own.
func ExitStatus(code nexus.Code) int { return meaningOf(code).exit }
