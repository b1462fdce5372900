package nexus

import (
	"errors"
	"fmt"
)

// A Code tells a caller what kind of failure happened, whatever the face.
// Codes are part of the public contract: add freely, never rename.
type Code string

// The codes. The first block is the bus's closed catalogue; the rest came with
// the hub and with topics.
const (
	WorkspaceRequired   Code = "WORKSPACE_REQUIRED"
	WorkspaceUnresolved Code = "WORKSPACE_UNRESOLVED"
	WorkspaceMismatch   Code = "WORKSPACE_MISMATCH"
	ValidationError     Code = "VALIDATION_ERROR"
	NotFound            Code = "NOT_FOUND"
	NotOwner            Code = "NOT_OWNER"
	InvalidTransition   Code = "INVALID_TRANSITION"
	InvalidStream       Code = "INVALID_STREAM"
	AlreadyClaimed      Code = "HANDOFF_ALREADY_CLAIMED"
	NotEligible         Code = "NOT_ELIGIBLE_TO_CLAIM"
	ContentTooLarge     Code = "CONTENT_TOO_LARGE"
	PathOutside         Code = "PATH_OUTSIDE_WORKSPACE"
	ConfigError         Code = "CONFIG_ERROR"
	MigrationError      Code = "MIGRATION_ERROR"
	DBError             Code = "DB_ERROR" // details.retryable where a retry can help
	RenderError         Code = "RENDER_ERROR"
	Migrated            Code = "MIGRATED"
	Internal            Code = "INTERNAL_ERROR" // our fault; the cause is in the log only

	Conflict           Code = "CONFLICT"
	LeaseLost          Code = "LEASE_LOST" // someone else holds it now; drop the work
	AuthFailed         Code = "AUTH_FAILED"
	PermissionDenied   Code = "PERMISSION_DENIED"
	CrossOriginBlocked Code = "CROSS_ORIGIN_BLOCKED"
	RateLimited        Code = "RATE_LIMITED"
	Unavailable        Code = "UNAVAILABLE" // nobody there to answer, or stopping
	InvalidParam       Code = "INVALID_PARAM"
	InvalidSetting     Code = "INVALID_SETTING"
	InvalidWindow      Code = "INVALID_WINDOW"

	// What topics call their failures.
	TopicNotFound   Code = "TOPIC_NOT_FOUND"
	TopicClosed     Code = "TOPIC_CLOSED"
	AgentNameInUse  Code = "AGENT_NAME_IN_USE"
	AgentNotJoined  Code = "AGENT_NOT_JOINED"
	InvalidArgument Code = "INVALID_ARGUMENT"
	DBBusy          Code = "DB_BUSY"
	SchemaMismatch  Code = "DB_SCHEMA_MISMATCH" // a database of the program that topics replace
)

// Codes lists every code, for tables that must cover them all.
func Codes() []Code {
	return []Code{
		WorkspaceRequired, WorkspaceUnresolved, WorkspaceMismatch, ValidationError, NotFound, NotOwner,
		InvalidTransition, InvalidStream, AlreadyClaimed, NotEligible, ContentTooLarge, PathOutside,
		ConfigError, MigrationError, DBError, RenderError, Migrated, Internal,
		Conflict, LeaseLost, AuthFailed, PermissionDenied, CrossOriginBlocked, RateLimited, Unavailable,
		InvalidParam, InvalidSetting, InvalidWindow,
		TopicNotFound, TopicClosed, AgentNameInUse, AgentNotJoined, InvalidArgument, DBBusy, SchemaMismatch,
	}
}

// An Error is a failure the caller may act on. Msg is shown to the caller,
// who is often a language model: say what to do next. Err is only logged.
type Error struct {
	Code    Code
	Msg     string
	Details map[string]any
	Err     error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Msg, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Msg)
}

func (e *Error) Unwrap() error { return e.Err }

// With adds one detail and returns the same error.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// Errorf makes an [Error] whose message may be shown to the caller.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Msg: fmt.Sprintf(format, args...)}
}

// Invalid is a [ValidationError] that names the argument at fault.
func Invalid(field, format string, args ...any) *Error {
	return Errorf(ValidationError, format, args...).With("field", field)
}

// AsError is the error as a caller may see it. What is not an [Error] becomes
// [Internal], with the cause kept for the log and nothing of it in the message.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Code: Internal, Msg: "An unexpected internal error occurred.", Err: err}
}

// CodeOf is the code of err, "" for nil and [Internal] for what has none.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return AsError(err).Code
}
