# Written by `npm run openapi` from openapi.yaml: do not edit.
from typing import Any, Dict, List, Literal, Union
from typing_extensions import NotRequired, TypedDict

Approval = TypedDict("Approval", {
    "id": str,
    "session": NotRequired[str],
    "task": NotRequired[str],
    "turn": int,
    "call_id": str,
    "tool": str,
    "arguments": Dict[str, Any],
    "status": str,
    "reason": NotRequired[str],
})

ApprovalDecision = TypedDict("ApprovalDecision", {
    "decision": Literal["approve", "reject", "edit"],
    "arguments": NotRequired[Dict[str, Any]],
    "reason": NotRequired[str],
})

ApprovalPage = TypedDict("ApprovalPage", {
    "items": List[Approval],
    "total": int,
    "next_cursor": NotRequired[str],
})

CatalogEvent = Union[CatalogHelloEvent, CatalogResetEvent, CatalogChangeEvent, CatalogReleaseEvent, DocumentBrokenEvent, DocumentMendedEvent]

CatalogHelloEvent = TypedDict("CatalogHelloEvent", {
    "type": Literal["hello"],
    "revision": str,
    "sequence": int,
})

CatalogResetEvent = TypedDict("CatalogResetEvent", {
    "type": Literal["reset"],
    "revision": str,
    "sequence": int,
})

CatalogChangeEvent = TypedDict("CatalogChangeEvent", {
    "type": Literal["change"],
    "kind": str,
    "id": str,
    "revision": Union[str, None],
    "change": str,
})

CatalogReleaseEvent = TypedDict("CatalogReleaseEvent", {
    "type": Literal["release"],
    "kind": str,
    "id": str,
    "revision": Union[str, None],
    "change": str,
})

DocumentBrokenEvent = TypedDict("DocumentBrokenEvent", {
    "type": Literal["broken"],
    "kind": str,
    "id": str,
    "change": str,
    "message": NotRequired[str],
    "line": NotRequired[int],
    "column": NotRequired[int],
    "serving_last_good": NotRequired[bool],
})

DocumentMendedEvent = TypedDict("DocumentMendedEvent", {
    "type": Literal["mended"],
    "kind": str,
    "id": str,
    "change": str,
})

ChatCompletion = TypedDict("ChatCompletion", {
    "id": NotRequired[str],
    "object": NotRequired[str],
    "model": NotRequired[str],
    "choices": List[Dict[str, Any]],
    "usage": NotRequired[Any],
})

ChatCompletionChunk = TypedDict("ChatCompletionChunk", {
    "id": NotRequired[str],
    "object": NotRequired[str],
    "model": NotRequired[str],
    "choices": List[ChatCompletionChunk_choices],
    "usage": NotRequired[Any],
})

ChatCompletionChunk_choices_delta = TypedDict("ChatCompletionChunk_choices_delta", {
    "role": NotRequired[str],
    "content": NotRequired[Any],
})

ChatCompletionChunk_choices = TypedDict("ChatCompletionChunk_choices", {
    "index": int,
    "delta": ChatCompletionChunk_choices_delta,
    "finish_reason": NotRequired[Union[str, None]],
})

CreateSessionRequest = TypedDict("CreateSessionRequest", {
    "agent": str,
    "id": NotRequired[str],
    "variables": NotRequired[Dict[str, Any]],
})

CreateTaskRequest = TypedDict("CreateTaskRequest", {
    "description": str,
    "id": NotRequired[str],
    "metadata": NotRequired[Dict[str, Any]],
    "agent": NotRequired[str],
    "domain_knowledge": NotRequired[str],
    "plan": NotRequired[Dict[str, Any]],
    "config": NotRequired[TaskConfig],
})

TaskConfig = TypedDict("TaskConfig", {
    "max_reflection_rounds": NotRequired[int],
    "task_timeout_secs": NotRequired[float],
    "enable_auto_reflection": NotRequired[bool],
    "success_threshold": NotRequired[float],
    "enable_step_level_reflection": NotRequired[bool],
    "max_step_retries": NotRequired[int],
    "max_task_replanning_attempts": NotRequired[int],
    "max_consecutive_failures": NotRequired[int],
    "require_success": NotRequired[bool],
})

EntryPage = TypedDict("EntryPage", {
    "items": List[EntrySummary],
    "total": int,
    "broken": int,
    "next_cursor": NotRequired[str],
})

EntrySummary = TypedDict("EntrySummary", {
    "id": str,
    "revision": NotRequired[Union[str, None]],
    "name": NotRequired[str],
    "description": NotRequired[str],
    "displayName": NotRequired[str],
    "version": NotRequired[str],
    "publisher": NotRequired[str],
    "prompts": NotRequired[List[Any]],
    "kind": NotRequired[str],
    "origin": NotRequired[str],
    "extension": NotRequired[str],
    "supports": NotRequired[List[str]],
    "function": NotRequired[str],
    "type": NotRequired[str],
    "module": NotRequired[str],
    "readOnly": NotRequired[bool],
    "tools": NotRequired[List[str]],
    "model": NotRequired[str],
    "protocol": NotRequired[str],
    "role": NotRequired[str],
    "examples": NotRequired[List[str]],
    "serving_last_good": NotRequired[bool],
    "diagnostics": NotRequired[List[Diagnostic]],
})

Diagnostic = TypedDict("Diagnostic", {
    "kind": str,
    "id": str,
    "location": str,
    "code": str,
    "message": str,
    "hint": NotRequired[str],
    "line": NotRequired[int],
    "column": NotRequired[int],
    "severity": Literal["error", "warning"],
    "serving_last_good": bool,
    "prompt": NotRequired[str],
})

Error = TypedDict("Error", {
    "status": Literal["error"],
    "error": ErrorFacts,
    "request_id": str,
})

ErrorFacts = TypedDict("ErrorFacts", {
    "message": str,
    "type": ErrorType,
    "code": ErrorCode,
    "param": Union[str, None],
    "details": NotRequired[Any],
})

ErrorType = str

ErrorCode = str

FeedbackAnswer = TypedDict("FeedbackAnswer", {
    "request_id": NotRequired[str],
    "prompt": NotRequired[str],
    "version": NotRequired[int],
    "name": str,
    "score": float,
    "label": NotRequired[str],
})

FeedbackBody = TypedDict("FeedbackBody", {
    "request_id": NotRequired[str],
    "prompt": NotRequired[str],
    "version": NotRequired[int],
    "name": str,
    "score": float,
})

HistoryAnswer = TypedDict("HistoryAnswer", {
    "id": str,
    "available": bool,
    "entries": List[HistoryRecord],
})

HistoryRecord = TypedDict("HistoryRecord", {
    "action": Literal["publish", "promote", "rollback", "remove", "retire", "rename", "unreadable"],
    "at": str,
    "by": NotRequired[str],
    "note": NotRequired[str],
    "label": NotRequired[str],
    "sequence": NotRequired[int],
    "targets": List[LabelTarget],
    "forced": NotRequired[str],
    "other": NotRequired[str],
    "digest": NotRequired[str],
    "previous": NotRequired[str],
    "gap": NotRequired[Literal["missing", "changed", "unreadable"]],
})

LabelTarget = TypedDict("LabelTarget", {
    "version": int,
    "digest": str,
    "share": NotRequired[float],
})

LabelsAnswer = TypedDict("LabelsAnswer", {
    "id": str,
    "labels": List[LabelSummary],
})

LabelSummary = TypedDict("LabelSummary", {
    "label": str,
    "serves": List[LabelTarget],
    "problem": NotRequired[str],
    "sequence": NotRequired[int],
    "note": NotRequired[str],
    "by": NotRequired[str],
    "at": NotRequired[str],
    "expires": NotRequired[str],
    "sticky": NotRequired[str],
    "previous": NotRequired[LabelSummary_previous],
    "action": NotRequired[Literal["rollback"]],
    "forced": NotRequired[str],
    "tests": NotRequired[Any],
    "impact": NotRequired[Any],
    "signers": NotRequired[List[str]],
})

LabelSummary_previous = TypedDict("LabelSummary_previous", {
    "version": int,
    "digest": str,
})

RenderedMessage = TypedDict("RenderedMessage", {
    "role": str,
    "content": Any,
})

Session = TypedDict("Session", {
    "id": str,
    "agent": str,
    "turn": int,
    "status": str,
    "active_context": str,
    "usage": Usage,
    "cost": NotRequired[float],
    "created_at": str,
    "expires_at": Union[str, None],
})

Usage = TypedDict("Usage", {
    "input_tokens": int,
    "output_tokens": int,
    "cached_tokens": int,
})

SessionPage = TypedDict("SessionPage", {
    "items": List[Session],
    "total": int,
    "next_cursor": NotRequired[str],
})

StoredMessagePage = TypedDict("StoredMessagePage", {
    "items": List[StoredMessage],
    "total": int,
    "next_cursor": NotRequired[str],
})

StoredMessage = TypedDict("StoredMessage", {
    "id": str,
    "turn": int,
    "kind": NotRequired[str],
    "message": StoredMessage_message,
})

StoredMessage_message = TypedDict("StoredMessage_message", {
    "role": str,
})

Task = TypedDict("Task", {
    "id": str,
    "status": str,
    "description": str,
    "agent": NotRequired[str],
    "created_at": str,
    "expires_at": NotRequired[str],
    "durable": bool,
    "metadata": Dict[str, Any],
    "usage": NotRequired[Usage],
    "cost": NotRequired[float],
    "result": NotRequired[TaskResult],
    "error": NotRequired[Failure],
    "rounds": List[TaskRound],
})

TaskResult = TypedDict("TaskResult", {
    "ended_by": str,
    "output": TaskResult_output,
    "failure_count": int,
    "rounds": int,
    "usage": Usage,
    "cost": NotRequired[float],
})

TaskResult_output = TypedDict("TaskResult_output", {
    "text": str,
    "steps": Dict[str, Any],
})

Failure = TypedDict("Failure", {
    "code": ErrorCode,
    "message": str,
})

TaskRound = TypedDict("TaskRound", {
    "round": int,
    "plan": NotRequired[Plan],
    "error": NotRequired[Failure],
    "evaluation": NotRequired[Evaluation],
    "reflection": NotRequired[Reflection],
    "phases": NotRequired[List[TaskPhase]],
})

Plan = TypedDict("Plan", {
    "id": str,
    "description": NotRequired[str],
    "estimated_duration_secs": NotRequired[float],
    "max_parallel_steps": NotRequired[int],
    "steps": List[TaskStep],
})

TaskStep = TypedDict("TaskStep", {
    "id": str,
    "index": int,
    "name": NotRequired[str],
    "description": str,
    "estimated_duration_secs": NotRequired[float],
    "tool_id": NotRequired[str],
    "parameters": Dict[str, Any],
    "dependencies": List[str],
    "expected_output": NotRequired[str],
    "attempts": int,
    "status": str,
    "output": NotRequired[Any],
    "error": NotRequired[Failure],
    "because": NotRequired[str],
    "started_at": NotRequired[str],
    "ended_at": NotRequired[str],
})

Evaluation = TypedDict("Evaluation", {
    "evaluation_id": NotRequired[str],
    "overall_score": float,
    "is_successful": bool,
    "dimensions": Evaluation_dimensions,
    "successes": List[str],
    "failures": List[str],
    "improvement_suggestions": List[str],
    "unusable": NotRequired[Literal[True]],
})

Evaluation_dimensions = TypedDict("Evaluation_dimensions", {
    "completeness": float,
    "correctness": float,
    "efficiency": float,
    "reliability": float,
})

Reflection = TypedDict("Reflection", {
    "reflection_id": NotRequired[str],
    "root_causes": List[str],
    "incorrect_assumptions": List[str],
    "alternative_approaches": List[str],
    "optimization_suggestions": List[Dict[str, Any]],
    "lessons_learned": List[str],
    "should_replan": bool,
    "unusable": NotRequired[Literal[True]],
})

TaskPhase = TypedDict("TaskPhase", {
    "phase": str,
    "started_at": str,
    "ended_at": str,
})

TaskEvent = Union[PhaseStartedEvent, PlanEvent, PlanRefusedEvent, StepUpdatedEvent, EvaluationEvent, ReflectionEvent, ApprovalRequiredEvent, ApprovalResolvedEvent, PausedEvent, GapEvent, StepOfTaskStartedEvent, StepTextDeltaEvent, StepReasoningDeltaEvent, StepToolCalledEvent, StepToolResultEvent, StepRollbackEvent, StepRetryEvent, StepCompactedEvent, StepUsageEvent, TaskCompletedEvent, TaskExhaustedEvent, TaskFailedEvent, TaskTimedOutEvent, TaskCancelledEvent]

PhaseStartedEvent = TypedDict("PhaseStartedEvent", {
    "type": Literal["phase.started"],
    "round": int,
    "phase": str,
})

PlanEvent = TypedDict("PlanEvent", {
    "type": Literal["plan"],
    "round": int,
    "plan": Plan,
})

PlanRefusedEvent = TypedDict("PlanRefusedEvent", {
    "type": Literal["plan.refused"],
    "round": int,
    "error": Failure,
})

StepUpdatedEvent = TypedDict("StepUpdatedEvent", {
    "type": Literal["step.updated"],
    "round": int,
    "step": TaskStep,
})

EvaluationEvent = TypedDict("EvaluationEvent", {
    "type": Literal["evaluation"],
    "round": int,
    "evaluation": Evaluation,
})

ReflectionEvent = TypedDict("ReflectionEvent", {
    "type": Literal["reflection"],
    "round": int,
    "reflection": Reflection,
})

ApprovalRequiredEvent = TypedDict("ApprovalRequiredEvent", {
    "type": Literal["approval.required"],
    "approval": Approval,
})

ApprovalResolvedEvent = TypedDict("ApprovalResolvedEvent", {
    "type": Literal["approval.resolved"],
    "approval": Approval,
})

PausedEvent = TypedDict("PausedEvent", {
    "type": Literal["paused"],
    "approvals": List[Approval],
})

GapEvent = TypedDict("GapEvent", {
    "type": Literal["gap"],
})

StepOfTaskStartedEvent = TypedDict("StepOfTaskStartedEvent", {
    "type": Literal["step.started"],
    "step": int,
    "round": int,
    "step_id": str,
})

StepTextDeltaEvent = TypedDict("StepTextDeltaEvent", {
    "type": Literal["text.delta"],
    "text": str,
    "round": int,
    "step_id": str,
})

StepReasoningDeltaEvent = TypedDict("StepReasoningDeltaEvent", {
    "type": Literal["reasoning.delta"],
    "text": str,
    "round": int,
    "step_id": str,
})

StepToolCalledEvent = TypedDict("StepToolCalledEvent", {
    "type": Literal["tool.called"],
    "call": ToolCall,
    "round": int,
    "step_id": str,
})

ToolCall = TypedDict("ToolCall", {
    "id": str,
    "name": str,
    "server": NotRequired[str],
    "arguments": Dict[str, Any],
})

StepToolResultEvent = TypedDict("StepToolResultEvent", {
    "type": Literal["tool.result"],
    "call_id": str,
    "ok": bool,
    "code": NotRequired[str],
    "preview": str,
    "output": str,
    "duration_ms": float,
    "round": int,
    "step_id": str,
})

StepRollbackEvent = TypedDict("StepRollbackEvent", {
    "type": Literal["rollback"],
    "reason": str,
    "attempt": int,
    "to": NotRequired[str],
    "round": int,
    "step_id": str,
})

StepRetryEvent = TypedDict("StepRetryEvent", {
    "type": Literal["retry"],
    "attempt": int,
    "error": Failure,
    "round": int,
    "step_id": str,
})

StepCompactedEvent = TypedDict("StepCompactedEvent", {
    "type": Literal["compacted"],
    "tokens_before": int,
    "tokens_after": int,
    "round": int,
    "step_id": str,
})

StepUsageEvent = TypedDict("StepUsageEvent", {
    "type": Literal["usage"],
    "usage": Usage,
    "cost": NotRequired[float],
    "round": int,
    "step_id": str,
})

TaskCompletedEvent = TypedDict("TaskCompletedEvent", {
    "type": Literal["task.completed"],
    "result": TaskResult,
    "error": NotRequired[Failure],
})

TaskExhaustedEvent = TypedDict("TaskExhaustedEvent", {
    "type": Literal["task.exhausted"],
    "result": TaskResult,
    "error": NotRequired[Failure],
})

TaskFailedEvent = TypedDict("TaskFailedEvent", {
    "type": Literal["task.failed"],
    "result": TaskResult,
    "error": NotRequired[Failure],
})

TaskTimedOutEvent = TypedDict("TaskTimedOutEvent", {
    "type": Literal["task.timed_out"],
    "result": TaskResult,
    "error": NotRequired[Failure],
})

TaskCancelledEvent = TypedDict("TaskCancelledEvent", {
    "type": Literal["task.cancelled"],
    "result": TaskResult,
    "error": NotRequired[Failure],
})

TaskPage = TypedDict("TaskPage", {
    "items": List[TaskSummary],
    "total": int,
    "next_cursor": NotRequired[str],
})

TaskSummary = TypedDict("TaskSummary", {
    "id": str,
    "status": str,
    "description": str,
    "agent": NotRequired[str],
    "created_at": str,
    "expires_at": NotRequired[str],
})

Turn = TypedDict("Turn", {
    "turn": int,
    "status": str,
    "message": NotRequired[AnswerMessage],
    "ended_by": NotRequired[str],
    "usage": NotRequired[Usage],
    "steps": NotRequired[int],
    "tool_calls": NotRequired[int],
    "cost": NotRequired[float],
    "boxed": NotRequired[str],
    "value": NotRequired[Dict[str, Any]],
    "error": NotRequired[Failure],
    "approvals": NotRequired[List[Approval]],
    "started_at": NotRequired[str],
    "ended_at": NotRequired[str],
})

AnswerMessage = TypedDict("AnswerMessage", {
    "role": str,
    "content": NotRequired[Any],
})

TurnEvent = Union[TurnStartedEvent, ApprovalRequiredEvent, ApprovalResolvedEvent, PausedEvent, GapEvent, TurnCompletedEvent, TurnFailedEvent, TurnCancelledEvent, StepStartedEvent, TextDeltaEvent, ReasoningDeltaEvent, ToolCalledEvent, ToolResultEvent, RollbackEvent, RetryEvent, CompactedEvent, UsageEvent]

TurnStartedEvent = TypedDict("TurnStartedEvent", {
    "type": Literal["turn.started"],
    "turn": int,
    "agent": str,
    "agent_revision": str,
})

TurnCompletedEvent = TypedDict("TurnCompletedEvent", {
    "type": Literal["turn.completed"],
    "result": TurnResult,
})

TurnResult = TypedDict("TurnResult", {
    "turn": int,
    "status": Literal["completed"],
    "message": AnswerMessage,
    "ended_by": str,
    "usage": Usage,
    "steps": int,
    "tool_calls": int,
    "cost": NotRequired[float],
    "boxed": NotRequired[str],
    "value": NotRequired[Dict[str, Any]],
})

TurnFailedEvent = TypedDict("TurnFailedEvent", {
    "type": Literal["turn.failed"],
    "error": Failure,
    "usage": NotRequired[Usage],
    "cost": NotRequired[float],
})

TurnCancelledEvent = TypedDict("TurnCancelledEvent", {
    "type": Literal["turn.cancelled"],
    "usage": NotRequired[Usage],
    "cost": NotRequired[float],
})

StepStartedEvent = TypedDict("StepStartedEvent", {
    "type": Literal["step.started"],
    "step": int,
})

TextDeltaEvent = TypedDict("TextDeltaEvent", {
    "type": Literal["text.delta"],
    "text": str,
})

ReasoningDeltaEvent = TypedDict("ReasoningDeltaEvent", {
    "type": Literal["reasoning.delta"],
    "text": str,
})

ToolCalledEvent = TypedDict("ToolCalledEvent", {
    "type": Literal["tool.called"],
    "call": ToolCall,
})

ToolResultEvent = TypedDict("ToolResultEvent", {
    "type": Literal["tool.result"],
    "call_id": str,
    "ok": bool,
    "code": NotRequired[str],
    "preview": str,
    "output": str,
    "duration_ms": float,
})

RollbackEvent = TypedDict("RollbackEvent", {
    "type": Literal["rollback"],
    "reason": str,
    "attempt": int,
    "to": NotRequired[str],
})

RetryEvent = TypedDict("RetryEvent", {
    "type": Literal["retry"],
    "attempt": int,
    "error": Failure,
})

CompactedEvent = TypedDict("CompactedEvent", {
    "type": Literal["compacted"],
    "tokens_before": int,
    "tokens_after": int,
})

UsageEvent = TypedDict("UsageEvent", {
    "type": Literal["usage"],
    "usage": Usage,
    "cost": NotRequired[float],
})

TurnRequest = TypedDict("TurnRequest", {
    "input": NotRequired[str],
    "parts": NotRequired[List[Dict[str, Any]]],
    "stream": NotRequired[bool],
    "context": NotRequired[str],
    "limits": NotRequired[TurnLimits],
})

TurnLimits = TypedDict("TurnLimits", {
    "max_turns": NotRequired[int],
    "max_tool_turns": NotRequired[int],
    "max_calls_per_turn": NotRequired[int],
    "max_steps": NotRequired[int],
    "max_tokens": NotRequired[int],
    "max_cost": NotRequired[float],
    "max_ms": NotRequired[int],
})

VersionsAnswer = TypedDict("VersionsAnswer", {
    "id": str,
    "versions": List[VersionSummary],
})

VersionSummary = TypedDict("VersionSummary", {
    "version": int,
    "digest": str,
    "revision": str,
    "author": NotRequired[str],
    "at": NotRequired[str],
    "note": NotRequired[str],
    "labels": List[str],
    "replaced": NotRequired[bool],
})

Warning = TypedDict("Warning", {
    "tool": NotRequired[str],
    "path": NotRequired[str],
    "code": WarningCode,
    "message": str,
    "substituted": NotRequired[Any],
})

WarningCode = str
