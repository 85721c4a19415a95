// A client that openapi-generator made of openapi.yaml: every answer is read by its types.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"shell/generated"
)

func main() {
	configuration := shell.NewConfiguration()
	configuration.Servers = shell.ServerConfigurations{{URL: os.Getenv("SERVICE_URL")}}
	client := shell.NewAPIClient(configuration)
	background := context.Background()

	prompts, _, err := client.CatalogApi.ListPrompts(background).Execute()
	must(err)
	expect(len(prompts.Items) > 0, "prompts are listed")

	variables := map[string]interface{}{"name": "Ada"}
	rendered, answer, err := client.RenderApi.RenderPrompt(background, "t.greeting").
		RenderRequest(shell.RenderRequest{Variables: &variables}).Execute()
	must(err)
	expect(rendered.RenderedPrompt == "Hello Ada.", "the prompt is rendered")
	expect(answer.Header.Get("x-prompt-revision") != "", "the answer has its revision")

	_, _, err = client.RenderApi.RenderPrompt(background, "t.greeting").RenderRequest(shell.RenderRequest{}).Execute()
	var failure shell.GenericOpenAPIError
	expect(errors.As(err, &failure), "what is missing is an error")
	said, isOurs := failure.Model().(shell.Error)
	expect(isOurs && said.Error.Code == "missing_variables", "the error has its code")

	question := "Why?"
	chat, _, err := client.ChatApi.ChatWithPrompt(background, "t.greeting").
		ChatRequest(shell.ChatRequest{Variables: &variables}).Execute()
	must(err)
	expect(len(chat.Choices) == 1, "the model answers")

	session, _, err := client.SessionsApi.CreateSession(background).
		CreateSessionRequest(shell.CreateSessionRequest{Agent: "t.helper"}).IdempotencyKey("go-smoke").Execute()
	must(err)
	turn, _, err := client.SessionsApi.RunTurn(background, session.Id).
		TurnRequest(shell.TurnRequest{Input: &question}).Execute()
	must(err)
	expect(turn.Status == "completed" && turn.Usage != nil, "the turn is over")

	_, _, err = client.TasksApi.GetTask(background, "none").Execute()
	expect(errors.As(err, &failure), "a task that does not exist is an error")
	said, isOurs = failure.Model().(shell.Error)
	expect(isOurs && said.Error.Code == "task_not_found", "the error has its code")
	fmt.Println("all is well")
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func expect(isTrue bool, what string) {
	if !isTrue {
		panic("not true: " + what)
	}
}
